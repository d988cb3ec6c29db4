import{a as i}from"./chunk-NXJ7QOV3.js";import{d as M,e as E}from"./chunk-L644QUMP.js";import{a as u,b as A,c as p}from"./chunk-B5RGF32P.js";var h=`AD A,ZC AC
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
`;var b=`AU ACT=Australian Capital Territory|JBT=Jervis Bay Territory|NSW=New South Wales|NT=Northern Territory|QLD=Queensland|SA=South Australia|TAS=Tasmania|VIC=Victoria|WA=Western Australia
BR AC=Acre|AL=Alagoas|AP=Amapá|AM=Amazonas|BA=Bahia|CE=Ceará|DF=Distrito Federal|ES=Espírito Santo|GO=Goiás|MA=Maranhão|MT=Mato Grosso|MS=Mato Grosso do Sul|MG=Minas Gerais|PA=Pará|PB=Paraíba|PR=Paraná|PE=Pernambuco|PI=Piauí|RJ=Rio de Janeiro|RN=Rio Grande do Norte|RS=Rio Grande do Sul|RO=Rondônia|RR=Roraima|SC=Santa Catarina|SP=São Paulo|SE=Sergipe|TO=Tocantins
CA AB=Alberta|BC=British Columbia|MB=Manitoba|NB=New Brunswick|NL=Newfoundland and Labrador|NT=Northwest Territories|NS=Nova Scotia|NU=Nunavut|ON=Ontario|PE=Prince Edward Island|QC=Quebec|SK=Saskatchewan|YT=Yukon
IT AG=Agrigento|AL=Alessandria|AN=Ancona|AO=Aosta|AR=Arezzo|AP=Ascoli Piceno|AT=Asti|AV=Avellino|BA=Bari|BT=Barletta-Andria-Trani|BL=Belluno|BN=Benevento|BG=Bergamo|BI=Biella|BO=Bologna|BZ=Bolzano|BS=Brescia|BR=Brindisi|CA=Cagliari|CL=Caltanissetta|CB=Campobasso|CE=Caserta|CT=Catania|CZ=Catanzaro|CH=Chieti|CO=Como|CS=Cosenza|CR=Cremona|KR=Crotone|CN=Cuneo|EN=Enna|FM=Fermo|FE=Ferrara|FI=Firenze|FG=Foggia|FC=Forlì-Cesena|FR=Frosinone|GE=Genova|GO=Gorizia|GR=Grosseto|IM=Imperia|IS=Isernia|AQ=L'Aquila|SP=La Spezia|LT=Latina|LE=Lecce|LC=Lecco|LI=Livorno|LO=Lodi|LU=Lucca|MC=Macerata|MN=Mantova|MS=Massa-Carrara|MT=Matera|ME=Messina|MI=Milano|MO=Modena|MB=Monza e Brianza|NA=Napoli|NO=Novara|NU=Nuoro|OR=Oristano|PD=Padova|PA=Palermo|PR=Parma|PV=Pavia|PG=Perugia|PU=Pesaro e Urbino|PE=Pescara|PC=Piacenza|PI=Pisa|PT=Pistoia|PN=Pordenone|PZ=Potenza|PO=Prato|RG=Ragusa|RA=Ravenna|RC=Reggio Calabria|RE=Reggio Emilia|RI=Rieti|RN=Rimini|RM=Roma|RO=Rovigo|SA=Salerno|SS=Sassari|SV=Savona|SI=Siena|SR=Siracusa|SO=Sondrio|SU=Sud Sardegna|TA=Taranto|TE=Teramo|TR=Terni|TO=Torino|TP=Trapani|TN=Trento|TV=Treviso|TS=Trieste|UD=Udine|VA=Varese|VE=Venezia|VB=Verbano-Cusio-Ossola|VC=Vercelli|VR=Verona|VV=Vibo Valentia|VI=Vicenza|VT=Viterbo
US AL=Alabama|AK=Alaska|AS=American Samoa|AZ=Arizona|AR=Arkansas|AA=Armed Forces (AA)|AE=Armed Forces (AE)|AP=Armed Forces (AP)|CA=California|CO=Colorado|CT=Connecticut|DE=Delaware|DC=District of Columbia|FL=Florida|GA=Georgia|GU=Guam|HI=Hawaii|ID=Idaho|IL=Illinois|IN=Indiana|IA=Iowa|KS=Kansas|KY=Kentucky|LA=Louisiana|ME=Maine|MH=Marshall Islands|MD=Maryland|MA=Massachusetts|MI=Michigan|FM=Micronesia|MN=Minnesota|MS=Mississippi|MO=Missouri|MT=Montana|NE=Nebraska|NV=Nevada|NH=New Hampshire|NJ=New Jersey|NM=New Mexico|NY=New York|NC=North Carolina|ND=North Dakota|MP=Northern Mariana Islands|OH=Ohio|OK=Oklahoma|OR=Oregon|PW=Palau|PA=Pennsylvania|PR=Puerto Rico|RI=Rhode Island|SC=South Carolina|SD=South Dakota|TN=Tennessee|TX=Texas|UT=Utah|VT=Vermont|VI=Virgin Islands|VA=Virginia|WA=Washington|WV=West Virginia|WI=Wisconsin|WY=Wyoming
`;var N=t=>new Map(t.trim().split(`
`).map(e=>[e.slice(0,2),e.slice(3)])),w=N(h),U=N(b),K=new Set(["AQ","BV","GS","HM","IO","TF","UM"]),T=[...w.keys()].filter(t=>!K.has(t));function g(t){let[e="A,C",r="AC",...n]=(w.get(t)??"").split(" ").filter(Boolean),a=n.map(o=>o.split("=")).map(([o,s])=>[o.toUpperCase(),s]);return{rows:e.split(",").map(o=>[...o]),required:r,labels:Object.fromEntries(a)}}function S(t){let e=U.get(t);return e?e.split("|").map(r=>r.split("=")):[]}var y={A:["line1","line2"],C:["city"],S:["state"],Z:["postalCode"]},W={name:"name",line1:"address-line1",line2:"address-line2",city:"address-level2",state:"address-level1",postalCode:"postal-code",phone:"tel"},R={line1:"A",city:"C",state:"S",postalCode:"Z"},$={S:"province"};function mt(t,e={},r=[]){let n=t==="shippingAddress",a=q(t,e),o=i("div"),s=I(`${t}.country`,`${n?"shipping":"billing"} country`,tt(n,e.country),e.country??"US"),C=()=>{let d=g(s.value),c=l=>j(a(l,s.value),l,d,n),m=d.rows.map(l=>l.flatMap(Z=>y[Z]).filter(Z=>n||Z==="state"||Z==="postalCode"||r.includes(Z)));o.replaceChildren(...n?[c("name")]:[],...m.flatMap(l=>k(l.map(c),l)),...n?[J(a("phone",s.value),s.value)]:[])};return s.addEventListener("input",C),C(),i("fieldset",{"data-address":t,"data-field":t},i("legend",{},A(n?"address_send":"address_where")),n?null:i("p",{class:"small"},A("address_why")),i("label",{},A("address_country"),s),o)}function k(t,e){let r=t.filter((a,o)=>e[o]?.startsWith("line")),n=t.slice(r.length);return n.length>1?[...r,i("div",{class:"pair"},...n)]:t}function q(t,e){let r=new Map;return(n,a)=>{let o=n==="state"?`state ${a}`:n,s=n==="state"?S(a):[],C=n==="state"&&a!==(e.country??"US")?"":e[n]??"",d=`${t}.${n}`,c=`${t==="shippingAddress"?"shipping":"billing"} ${W[n]}`,m=r.get(o)??(s.length?I(d,c,[["",""],...s],C):n==="phone"?Q(d,c,C):i("input",{name:d,autocomplete:c,maxlength:120,value:C}));return r.set(o,m),m}}function Q(t,e,r){let n=i("input",{type:"tel",name:t,autocomplete:e,maxlength:30,value:r}),a=()=>n.setCustomValidity(n.value.trim()===""||Y(n.value)?"":t);return n.addEventListener("input",a),a(),n}function Y(t){let e=t.replace(/\D/g,"").length;return/^[0-9+\-()\s./]{5,30}$/.test(t.trim())&&e>=5&&e<=15&&t.split("+").length<=2}function J(t,e){let r=e!==document.body.dataset.origin;return i("label",{},A("address_phone"),i("span",{class:"hint"},A(r?"address_phone_abroad":"address_phone_why")),t)}function j(t,e,r,n){let a=R[e],o=v(e,r),s=e==="name"||a!==void 0&&r.required.includes(a);return t.required=n&&s,i("label",{},n&&!s?A("address_optional",{name:o}):o,t)}function v(t,e){let r=t==="country"?void 0:R[t],n=r&&(e.labels[r]??$[r]);return n?A(`part_${n}`):A(`address_${t}`)}var B=(t,e)=>v(t,g(e));function I(t,e,r,n){let a=r.some(([o])=>o===n)?r:[...r,[n,n]];return i("select",{name:t,autocomplete:e},...a.map(([o,s])=>i("option",{value:o,selected:o===n},s)))}var X=new Intl.DisplayNames([u],{type:"region"}),F=t=>X.of(t)??t;function tt(t,e=""){let r=t?(document.body.dataset.excluded??"").split(" "):[];return T.filter(n=>!r.includes(n)).concat(e&&(r.includes(e)||!T.includes(e))?[e]:[]).map(n=>[n,F(n)]).sort((n,a)=>n[1].localeCompare(a[1],u))}function pt(t){let{rows:e}=g(t.country??""),r=Object.keys(y).filter(a=>!e.flat().includes(a)),n=[...e,r].map(a=>a.flatMap(o=>y[o].map(s=>t[s])).filter(Boolean).join(" "));return[t.name,...n,t.country&&F(t.country),t.phone].filter(Boolean).join(", ")}function gt(t,e){if(!t.querySelector(`[data-address=${e}]`))return;let r=new FormData(t),n={};for(let a of["name","line1","line2","city","state","postalCode","country","phone"]){let o=String(r.get(`${e}.${a}`)??"").trim();o&&(n[a]=o)}return n}var et=new Map([...S("CA"),...S("US")]),nt=new Intl.ListFormat(u,{type:"conjunction"});function _({field:t,reason:e,postalCode:r="",states:n=[]},a=""){if(e==="missing")return A("tax_missing",{fields:a?B(t,a):A(`address_${t}`)});let o=e==="other_state"&&!/^\d/.test(r)?"other_province":e;return A(`tax_${o}`,{code:r,states:nt.format(n.map(s=>et.get(s)??s))})}function G(t){return typeof(t&&typeof t=="object"&&"reason"in t&&"field"in t?t.reason:void 0)=="string"?t:void 0}var rt=[[/^email$/,"wrong_email"],[/\.quantity$/,"wrong_quantity"],[/mount$/,"wrong_amount"],[/^items\[\d+\]/,"wrong_gone"],[/^items$/,"wrong_minimum"],[/^tip(Percent|Cents)$/,"wrong_tip"],[/^shippingOption$/,"wrong_option"],[/^campaignSlug$/,"wrong_campaign"],[/^manageToken$/,"wrong_together"],[/^shippingAddress\.country$/,"wrong_country"],[/Address\.state$/,"wrong_state"],[/Address\.phone$/,"wrong_phone"],[/^shippingAddress/,"wrong_address"],[/^billingAddress/,"wrong_tax_address"]],ot=new Set(["conflict","forbidden","gone","not_found","unauthorized"]);function O(t,e=""){if(t instanceof E)return A("offline");if(!(t instanceof M))throw t;let{code:r,field:n="",remaining:a=0,details:o}=t.problem,s=/^(shipping|billing)Address/.test(n)?G(o):void 0;if(s)return _(s,e);switch(r){case"sold_out":return a>0?A("wrong_left",{count:a}):A("wrong_sold_out");case"busy":return A("wrong_share",{count:a});case"too_many":return A("wrong_often");case"unavailable":case"internal":return A("wrong_unavailable")}return A(rt.find(([C])=>C.test(n))?.[1]??(ot.has(r)?`refused_${r}`:"refused_invalid"))}function Nt(t,e=!0){let r=i("p",{class:"note bad",role:"alert",tabindex:-1},O(t));return e&&queueMicrotask(()=>r.focus()),r}function wt(t,e,r=!0){if(x(t),!(e instanceof M)||!e.problem.field)return!1;let n=H(t,e.problem.field);return n?(L(n,O(e,at(t,e.problem.field))),r&&V(n),!0):!1}var at=(t,e)=>f(t).find(r=>r.name===`${e.split(".")[0]}.country`)?.value??"";function H(t,e){let r=f(t).find(o=>o.name===e),a=[...t.querySelectorAll("[data-field]")].filter(o=>e.startsWith(o.dataset.field??" ")).sort((o,s)=>(s.dataset.field??"").length-(o.dataset.field??"").length)[0];return r??f(t).find(o=>o.name!==""&&e.startsWith(o.name))??a}function Rt(t,e,r){let n=H(t,e);return n&&n!==document.activeElement&&!n.hasAttribute("aria-invalid")?L(n,r):()=>{}}function L(t,e){if(t.closest(".chosen")?.querySelector(".lasting"))return t.setAttribute("aria-invalid","true"),()=>t.removeAttribute("aria-invalid");let n=t.closest("[data-pick]")?.dataset.pick,a=["wrong",t.getAttribute("name")??t.dataset.field??"",...n?[n]:[]].join("-"),o=i("p",{class:"wrong",id:a},e);P(t)?(t.setAttribute("aria-invalid","true"),t.setAttribute("aria-describedby",a),(t.closest("label")??t).after(o)):t.append(o);let s=()=>{o.remove(),t.removeAttribute("aria-invalid"),t.removeAttribute("aria-describedby")};return t.addEventListener("input",s,{once:!0}),s}function V(t){(P(t)?t:t.querySelector("input, select, button"))?.focus()}var P=t=>t instanceof HTMLInputElement||t instanceof HTMLSelectElement,f=t=>[...t.elements].filter(P);function x(t){for(let e of t.querySelectorAll(".wrong:not(.lasting)"))e.remove();for(let e of t.querySelectorAll("[aria-invalid]"))e.removeAttribute("aria-invalid"),e.removeAttribute("aria-describedby")}function At(t){x(t);let e=f(t).filter(r=>!r.validity.valid);for(let r of e)L(r,st(r));return e[0]&&V(e[0]),e.length===0}function vt(t,e){return t.noValidate=!0,t.addEventListener("submit",r=>{r.preventDefault(),At(t)&&e()}),t}function st(t){return t.name==="tipCents"?A("wrong_tip"):t.validity.valueMissing?A("wrong_empty"):t.type==="email"?A("wrong_email"):t.type==="tel"?A("wrong_phone"):t instanceof HTMLInputElement?t.name.endsWith("amount")||"amount"in t.dataset?t.max?A("wrong_between",{least:p(Number(t.min)*100),most:p(Number(t.max)*100)}):A("wrong_least",{least:p(Number(t.min)*100)}):t.max?A("wrong_at_most",{least:t.min,most:t.max}):A("wrong_quantity"):A("wrong_empty")}export{S as a,mt as b,B as c,pt as d,gt as e,_ as f,O as g,Nt as h,wt as i,Rt as j,V as k,At as l,vt as m};
