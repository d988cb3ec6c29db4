import{a as Z}from"./chunk-C3RJKZLS.js";import{d as s,e as d}from"./chunk-L644QUMP.js";import{a as m,b as a,c as o}from"./chunk-WHTA76XT.js";var p=`AD A,ZC AC
AE A,S AS s=emirate
AF A,C,Z AC
AG A,C A
AI A,C,Z AC
AL A,Z,C AC
AM A,Z,C,S AC
AO A,C AC
AQ A,C AC
AR A,ZC,S AC
AS A,CSZ ACSZ s=state z=zip
AT A,ZC ACZ
AU A,CSZ ACSZ s=state c=suburb
AW A,C AC
AX A,ZC ACZ
AZ A,ZC AC
BA A,ZC AC
BB A,CSZ AC s=parish
BD A,CZ AC
BE A,ZC ACZ
BF A,C AC
BG A,ZC AC
BH A,CZ AC
BI A,C AC
BJ A,C AC
BL A,ZC ACZ
BM A,CZ AC
BN A,CZ AC
BO A,C AC
BQ A,C AC
BR A,CS,Z ASCZ s=state
BS A,CS AC s=island
BT A,CZ AC
BV A,C AC
BW A,C AC
BY A,ZC,S AC
BZ A,C AC
CA A,CSZ ACSZ
CC A,CSZ AC
CD A,C AC
CF A,C AC
CG A,C AC
CH A,ZC ACZ
CI AC AC
CK A,C AC
CL A,ZC,S AC
CM A,C AC
CN A,C,SZ ACSZ
CO A,CSZ AS s=department
CR A,SC,Z ACS
CU A,CS,Z AC
CV A,ZC,S AC s=island
CW A,C AC
CX A,CSZ AC
CY A,ZC AC
CZ A,ZC ACZ
DE A,ZC ACZ
DJ A,C AC
DK A,ZC ACZ
DM A,C AC
DO A,ZC AC
DZ A,ZC AC
EC A,Z,C AC
EE A,ZCS ACZ
EG A,C,S,Z AC
EH A,ZC AC
ER A,C AC
ES A,ZCS ACSZ
ET A,ZC AC
FI A,ZC ACZ
FJ A,C AC
FK A,C,Z ACZ
FM A,CSZ ACSZ s=state z=zip
FO A,ZC AC
FR A,ZC ACZ s=region
GA A,C AC
GB A,C,Z ACZ c=post_town
GD A,C AC
GE A,ZC AC
GF A,ZC ACZ
GG A,C,Z ACZ
GH A,C AC
GI A,Z A
GL A,ZC ACZ
GM A,C AC
GN ZAC AC
GP A,ZC ACZ
GQ A,C AC
GR A,ZC ACZ
GS A,C,Z ACZ
GT A,ZC AC
GU A,CZ ACZ z=zip
GW A,ZC AC
GY A,C AC
HK A,C,S AS s=area c=district
HM A,CSZ AC
HN A,CS,Z ACS s=department
HR A,ZC AC
HT A,ZC AC
HU C,A,Z ACZ
ID A,C,SZ AS
IE A,C,S,Z AC s=county z=eircode
IL A,CZ AC
IM A,C,Z ACZ
IN A,CZ,S ACSZ s=state z=pin
IO A,C,Z ACZ
IQ A,CS,Z ACS
IR S,C,A,Z AC
IS A,ZC AC
IT A,ZCS ACSZ
JE A,C,Z ACZ
JM A,C,S ACS s=parish
JO A,CZ AC
JP AS,Z ASZ s=prefecture
KE A,C,Z AC
KG A,ZC AC
KH A,CZ AC
KI A,S,C AC s=island
KM A,C AC
KN A,CS ACS s=island
KP A,C,SZ AC
KR A,C,S,Z ACSZ s=do_si
KW A,ZC AC
KY A,SZ AS s=island
KZ Z,S,C,A AC
LA A,ZC AC
LB A,CZ AC
LC A,C AC
LI A,ZC ACZ
LK A,C,Z AC
LR A,ZC AC
LS A,CZ AC
LT A,ZCS ACZ
LU A,ZC ACZ
LV A,S,CZ ACZ
LY A,C AC
MA A,ZC AC
MC A,ZC AC
MD A,ZC AC
ME A,ZC AC
MF A,ZC ACZ
MG A,ZC AC
MH A,CSZ ACSZ s=state z=zip
MK A,ZC AC
ML A,C AC
MM A,CZ AC
MN A,C,SZ AC
MO A A
MP A,CSZ ACSZ s=state z=zip
MQ A,ZC ACZ
MR A,C AC
MS A,C AC
MT A,CZ AC
MU A,Z,C AC
MV A,CZ AC
MW A,C AC
MX A,ZCS ACSZ s=state
MY A,ZC,S ACZ s=state
MZ A,ZCS AC
NA A,C,Z AC
NC A,ZC ACZ
NE A,ZC AC
NF A,CSZ AC
NG A,CZ,S AC s=state
NI A,Z,CS AC s=department
NL A,ZC ACZ
NO A,ZC ACZ c=post_town
NP A,CZ AC
NR A,S AS s=district
NU A,C AC
NZ A,CZ ACZ
OM A,Z,C AC
PA A,C,S AC
PE A,CZ,S AC c=district
PF A,ZCS ACSZ s=island
PG A,CZS ACS
PH A,C,ZS AC
PK A,CZ AC
PL A,ZC ACZ
PM A,ZC ACZ
PN A,C,Z ACZ
PR A,CZ ACZ z=zip
PS A,C AC
PT A,ZC ACZ
PW A,CSZ ACSZ s=state z=zip
PY A,ZC AC
QA A,C AC
RE A,ZC ACZ
RO A,ZSC ACZ
RS A,ZC AC
RU A,C,S,Z ACSZ s=oblast
RW A,C AC
SA A,CZ AC
SB A,C AC
SC A,C,S AC s=island
SD A,C,Z AC c=district
SE A,ZC ACZ c=post_town
SG A,Z AZ
SH A,C,Z ACZ
SI A,ZC AC
SJ A,ZC ACZ c=post_town
SK A,ZC ACZ
SL A,C AC
SM A,ZC AZ
SN A,ZC AC
SO A,CSZ ACS
SR A,C,S AC
SS A,C AC
ST A,C AC
SV A,ZC,S ACS
SX A,C AC
SY A,C AC c=district
SZ A,C,Z AC
TC A,C,Z ACZ
TD A,C AC
TF A,C AC
TG A,C AC
TH A,C,SZ AC
TJ A,ZC AC
TK A,C AC
TL A,C AC
TM A,ZC AC
TN A,ZC AC
TO A,C AC
TR A,ZCS ACZ c=district
TT A,C AC
TV A,C,S AC s=island
TW A,CSZ ACSZ s=county c=district
TZ A,ZC AC
UA A,C,S,Z ACZ s=oblast
UG A,C AC
UM A,CSZ ACS s=state z=zip
US A,CSZ ACSZ s=state z=zip
UY A,ZCS AC
UZ A,ZC,S AC
VA A,ZC AC
VC A,CZ AC
VE A,CZS ACS s=state
VG A,C,Z A
VI A,CSZ ACSZ s=state z=zip
VN A,C,SZ AC
VU A,C AC
WF A,ZC ACZ
WS A,C AC
XK A,ZC AC
YE A,C AC
YT A,ZC ACZ
ZA A,C,Z ACZ
ZM A,ZC AC
ZW A,C AC
`;var M=`AU ACT=Australian Capital Territory|JBT=Jervis Bay Territory|NSW=New South Wales|NT=Northern Territory|QLD=Queensland|SA=South Australia|TAS=Tasmania|VIC=Victoria|WA=Western Australia
BR AC=Acre|AL=Alagoas|AP=Amapá|AM=Amazonas|BA=Bahia|CE=Ceará|DF=Distrito Federal|ES=Espírito Santo|GO=Goiás|MA=Maranhão|MT=Mato Grosso|MS=Mato Grosso do Sul|MG=Minas Gerais|PA=Pará|PB=Paraíba|PR=Paraná|PE=Pernambuco|PI=Piauí|RJ=Rio de Janeiro|RN=Rio Grande do Norte|RS=Rio Grande do Sul|RO=Rondônia|RR=Roraima|SC=Santa Catarina|SP=São Paulo|SE=Sergipe|TO=Tocantins
CA AB=Alberta|BC=British Columbia|MB=Manitoba|NB=New Brunswick|NL=Newfoundland and Labrador|NT=Northwest Territories|NS=Nova Scotia|NU=Nunavut|ON=Ontario|PE=Prince Edward Island|QC=Quebec|SK=Saskatchewan|YT=Yukon
IT AG=Agrigento|AL=Alessandria|AN=Ancona|AO=Aosta|AR=Arezzo|AP=Ascoli Piceno|AT=Asti|AV=Avellino|BA=Bari|BT=Barletta-Andria-Trani|BL=Belluno|BN=Benevento|BG=Bergamo|BI=Biella|BO=Bologna|BZ=Bolzano|BS=Brescia|BR=Brindisi|CA=Cagliari|CL=Caltanissetta|CB=Campobasso|CE=Caserta|CT=Catania|CZ=Catanzaro|CH=Chieti|CO=Como|CS=Cosenza|CR=Cremona|KR=Crotone|CN=Cuneo|EN=Enna|FM=Fermo|FE=Ferrara|FI=Firenze|FG=Foggia|FC=Forlì-Cesena|FR=Frosinone|GE=Genova|GO=Gorizia|GR=Grosseto|IM=Imperia|IS=Isernia|AQ=L'Aquila|SP=La Spezia|LT=Latina|LE=Lecce|LC=Lecco|LI=Livorno|LO=Lodi|LU=Lucca|MC=Macerata|MN=Mantova|MS=Massa-Carrara|MT=Matera|ME=Messina|MI=Milano|MO=Modena|MB=Monza e Brianza|NA=Napoli|NO=Novara|NU=Nuoro|OR=Oristano|PD=Padova|PA=Palermo|PR=Parma|PV=Pavia|PG=Perugia|PU=Pesaro e Urbino|PE=Pescara|PC=Piacenza|PI=Pisa|PT=Pistoia|PN=Pordenone|PZ=Potenza|PO=Prato|RG=Ragusa|RA=Ravenna|RC=Reggio Calabria|RE=Reggio Emilia|RI=Rieti|RN=Rimini|RM=Roma|RO=Rovigo|SA=Salerno|SS=Sassari|SV=Savona|SI=Siena|SR=Siracusa|SO=Sondrio|SU=Sud Sardegna|TA=Taranto|TE=Teramo|TR=Terni|TO=Torino|TP=Trapani|TN=Trento|TV=Treviso|TS=Trieste|UD=Udine|VA=Varese|VE=Venezia|VB=Verbano-Cusio-Ossola|VC=Vercelli|VR=Verona|VV=Vibo Valentia|VI=Vicenza|VT=Viterbo
US AL=Alabama|AK=Alaska|AS=American Samoa|AZ=Arizona|AR=Arkansas|AA=Armed Forces (AA)|AE=Armed Forces (AE)|AP=Armed Forces (AP)|CA=California|CO=Colorado|CT=Connecticut|DE=Delaware|DC=District of Columbia|FL=Florida|GA=Georgia|GU=Guam|HI=Hawaii|ID=Idaho|IL=Illinois|IN=Indiana|IA=Iowa|KS=Kansas|KY=Kentucky|LA=Louisiana|ME=Maine|MH=Marshall Islands|MD=Maryland|MA=Massachusetts|MI=Michigan|FM=Micronesia|MN=Minnesota|MS=Mississippi|MO=Missouri|MT=Montana|NE=Nebraska|NV=Nevada|NH=New Hampshire|NJ=New Jersey|NM=New Mexico|NY=New York|NC=North Carolina|ND=North Dakota|MP=Northern Mariana Islands|OH=Ohio|OK=Oklahoma|OR=Oregon|PW=Palau|PA=Pennsylvania|PR=Puerto Rico|RI=Rhode Island|SC=South Carolina|SD=South Dakota|TN=Tennessee|TX=Texas|UT=Utah|VT=Vermont|VI=Virgin Islands|VA=Virginia|WA=Washington|WV=West Virginia|WI=Wisconsin|WY=Wyoming
`;var g=A=>new Map(A.trim().split(`
`).map(C=>[C.slice(0,2),C.slice(3)])),f=g(p),b=g(M),z=[...f.keys()];function x(A){let[C="A,C",t="AC",...n]=(f.get(A)??"").split(" ").filter(Boolean),r=n.map(e=>e.split("=")).map(([e,i])=>[e.toUpperCase(),i]);return{rows:C.split(",").map(e=>[...e]),required:t,labels:Object.fromEntries(r)}}function S(A){let C=b.get(A);return C?C.split("|").map(t=>t.split("=")):[]}var y=new Map([...S("CA"),...S("US")]),I=new Intl.ListFormat(m,{type:"conjunction"});function T({field:A,reason:C,postalCode:t="",states:n=[]}){if(C==="missing")return a("tax_missing",{fields:a(`address_${A}`)});let r=C==="other_state"&&!/^\d/.test(t)?"other_province":C;return a(`tax_${r}`,{code:t,states:I.format(n.map(e=>y.get(e)??e))})}function N(A){return typeof(A&&typeof A=="object"&&"reason"in A&&"field"in A?A.reason:void 0)=="string"?A:void 0}var G=[[/^email$/,"wrong_email"],[/\.quantity$/,"wrong_quantity"],[/mount$/,"wrong_amount"],[/^items\[\d+\]/,"wrong_gone"],[/^items$/,"wrong_minimum"],[/^tip(Percent|Cents)$/,"wrong_tip"],[/^shippingOption$/,"wrong_option"],[/^campaignSlug$/,"wrong_campaign"],[/^manageToken$/,"wrong_together"],[/^shippingAddress\.country$/,"wrong_country"],[/Address\.state$/,"wrong_state"],[/^shippingAddress/,"wrong_address"],[/^billingAddress/,"wrong_tax_address"]],v=new Set(["conflict","forbidden","gone","not_found","unauthorized"]);function P(A){if(A instanceof d)return a("offline");if(!(A instanceof s))throw A;let{code:C,field:t="",remaining:n=0,details:r}=A.problem,e=/^(shipping|billing)Address/.test(t)?N(r):void 0;if(e)return T(e);switch(C){case"sold_out":return n>0?a("wrong_left",{count:n}):a("sold_out");case"busy":return a("wrong_share",{count:n});case"too_many":return a("wrong_often");case"unavailable":case"internal":return a("wrong_unavailable")}return a(G.find(([i])=>i.test(t))?.[1]??(v.has(C)?`refused_${C}`:"refused_invalid"))}function J(A,C=!0){let t=Z("p",{class:"note bad",role:"alert",tabindex:-1},P(A));return C&&queueMicrotask(()=>t.focus()),t}function $(A,C,t=!0){if(R(A),!(C instanceof s)||!C.problem.field)return!1;let n=E(A,C.problem.field);return n?(u(n,P(C)),t&&L(n),!0):!1}function E(A,C){let t=l(A).find(e=>e.name===C),r=[...A.querySelectorAll("[data-field]")].filter(e=>C.startsWith(e.dataset.field??" ")).sort((e,i)=>(i.dataset.field??"").length-(e.dataset.field??"").length)[0];return t??l(A).find(e=>e.name!==""&&C.startsWith(e.name))??r}function X(A,C,t){let n=E(A,C);return n&&n!==document.activeElement&&!n.hasAttribute("aria-invalid")?u(n,t):()=>{}}function u(A,C){if(A.closest(".chosen")?.querySelector(".lasting"))return A.setAttribute("aria-invalid","true"),()=>A.removeAttribute("aria-invalid");let n=A.closest("[data-pick]")?.dataset.pick,r=["wrong",A.getAttribute("name")??A.dataset.field??"",...n?[n]:[]].join("-"),e=Z("p",{class:"wrong",id:r},C);c(A)?(A.setAttribute("aria-invalid","true"),A.setAttribute("aria-describedby",r),(A.closest("label")??A).after(e)):A.append(e);let i=()=>{e.remove(),A.removeAttribute("aria-invalid"),A.removeAttribute("aria-describedby")};return A.addEventListener("input",i,{once:!0}),i}function L(A){(c(A)?A:A.querySelector("input, select, button"))?.focus()}var c=A=>A instanceof HTMLInputElement||A instanceof HTMLSelectElement,l=A=>[...A.elements].filter(c);function R(A){for(let C of A.querySelectorAll(".wrong:not(.lasting)"))C.remove();for(let C of A.querySelectorAll("[aria-invalid]"))C.removeAttribute("aria-invalid"),C.removeAttribute("aria-describedby")}function h(A){R(A);let C=l(A).filter(t=>!t.validity.valid);for(let t of C)u(t,F(t));return C[0]&&L(C[0]),C.length===0}function j(A,C){return A.noValidate=!0,A.addEventListener("submit",t=>{t.preventDefault(),h(A)&&C()}),A}function F(A){return A.name==="tipCents"?a("wrong_tip"):A.validity.valueMissing?a("wrong_empty"):A.type==="email"?a("wrong_email"):A instanceof HTMLInputElement?A.name.endsWith("amount")||"amount"in A.dataset?A.max?a("wrong_between",{least:o(Number(A.min)*100),most:o(Number(A.max)*100)}):a("wrong_least",{least:o(Number(A.min)*100)}):A.max?a("wrong_at_most",{least:A.min,most:A.max}):a("wrong_quantity"):a("wrong_empty")}export{z as a,x as b,S as c,T as d,P as e,J as f,$ as g,X as h,L as i,h as j,j as k};
