import{b as y}from"./chunk-UOJ5AFHR.js";import{a as r,d as m}from"./chunk-CUIO43CT.js";import{c as g,h as M,i as P,j as p,k as i,l as d}from"./chunk-4BGWP62C.js";function x(e,t,C="later",a){let n=e.tax===null?i("bill_more",{amount:d(e.amount)}):d(e.amount),A=(o,s,c)=>r("tr",{},r("th",{scope:"row"},o,c?r("span",{class:"hint"},c):null),r("td",{},s));return r("div",{class:"bill"},r("table",{},r("caption",{class:"unseen"},i("bill")),r("tbody",{},...t.map(([o,s])=>A(o,s)),A(i("bill_subtotal"),d(e.subtotal)),e.shipping>0?A(i("bill_shipping"),d(e.shipping)):null,A(i("bill_tax"),e.tax===null?"--":d(e.tax),e.tax===null?a:void 0),A(i("bill_tip",{percent:e.tipPercent}),d(e.tip))),r("tfoot",{},A(i(`bill_${C}`),n,C==="later"?i("bill_when"):void 0),C==="later"?A(i("bill_today"),d(0)):null)))}async function X(e,t,C,a,n=i("card_save")){if(t.checkoutUiMode==="hosted"&&t.url){location.assign(t.url);return}g?await B(e,t,a,n):await w(e,t,C,a,n)}async function B(e,t,C,a){let n=await M("/_sim/cards"),A=r("button",{type:"submit"},a),o=n.map(([Z,l],S)=>r("label",{},r("input",{type:"radio",name:"card",value:Z,checked:S===0}),` ${l} `,r("span",{class:"small"},Z.replaceAll("_"," ")))),s=r("form",{class:"sheet"},r("fieldset",{},r("legend",{},i("card_test")),r("p",{class:"small"},i("card_test_lead")),...o),A),c=m(A,async()=>{s.querySelector("[role=alert]")?.remove();try{await P("/_sim/complete",{session:t.sessionId,card:String(new FormData(s).get("card"))}),await C()}catch(Z){s.append(y(Z))}});s.addEventListener("submit",Z=>{Z.preventDefault(),c()}),e.replaceChildren(s),s.querySelector("input")?.focus()}var u="https://js.stripe.com/clover/stripe.js";async function I(e){if(window.Stripe||await new Promise((t,C)=>{let a=r("script",{src:u,onload:()=>t(),onerror:()=>C(new Error(u))});document.head.append(a)}),!window.Stripe)throw new Error(u);return window.Stripe(e,{locale:document.documentElement.lang})}async function w(e,t,C,a,n){let A=l=>r("p",{class:"note bad",role:"alert"},l),o;try{o=(await I(t.publishableKey??"")).initCheckout({clientSecret:t.clientSecret??""})}catch{e.replaceChildren(A(i("card_unavailable")));return}let s=r("div"),c=r("button",{type:"button",disabled:!0},n);e.replaceChildren(r("div",{class:"sheet"},s),c),o.createPaymentElement().mount(s);let Z=await o.loadActions();if(Z.type==="error"){e.replaceChildren(A(Z.error.message));return}c.disabled=!1,c.addEventListener("click",m(c,async()=>{e.querySelector("[role=alert]")?.remove();let l=await Z.actions.confirm(C?{email:C}:{});l.type==="error"?e.append(A(l.error.message)):await a()}))}var T=`AD A,ZC AC
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
`;var h=`AU ACT=Australian Capital Territory|JBT=Jervis Bay Territory|NSW=New South Wales|NT=Northern Territory|QLD=Queensland|SA=South Australia|TAS=Tasmania|VIC=Victoria|WA=Western Australia
BR AC=Acre|AL=Alagoas|AP=Amapá|AM=Amazonas|BA=Bahia|CE=Ceará|DF=Distrito Federal|ES=Espírito Santo|GO=Goiás|MA=Maranhão|MT=Mato Grosso|MS=Mato Grosso do Sul|MG=Minas Gerais|PA=Pará|PB=Paraíba|PR=Paraná|PE=Pernambuco|PI=Piauí|RJ=Rio de Janeiro|RN=Rio Grande do Norte|RS=Rio Grande do Sul|RO=Rondônia|RR=Roraima|SC=Santa Catarina|SP=São Paulo|SE=Sergipe|TO=Tocantins
CA AB=Alberta|BC=British Columbia|MB=Manitoba|NB=New Brunswick|NL=Newfoundland and Labrador|NT=Northwest Territories|NS=Nova Scotia|NU=Nunavut|ON=Ontario|PE=Prince Edward Island|QC=Quebec|SK=Saskatchewan|YT=Yukon
IT AG=Agrigento|AL=Alessandria|AN=Ancona|AO=Aosta|AR=Arezzo|AP=Ascoli Piceno|AT=Asti|AV=Avellino|BA=Bari|BT=Barletta-Andria-Trani|BL=Belluno|BN=Benevento|BG=Bergamo|BI=Biella|BO=Bologna|BZ=Bolzano|BS=Brescia|BR=Brindisi|CA=Cagliari|CL=Caltanissetta|CB=Campobasso|CE=Caserta|CT=Catania|CZ=Catanzaro|CH=Chieti|CO=Como|CS=Cosenza|CR=Cremona|KR=Crotone|CN=Cuneo|EN=Enna|FM=Fermo|FE=Ferrara|FI=Firenze|FG=Foggia|FC=Forlì-Cesena|FR=Frosinone|GE=Genova|GO=Gorizia|GR=Grosseto|IM=Imperia|IS=Isernia|AQ=L'Aquila|SP=La Spezia|LT=Latina|LE=Lecce|LC=Lecco|LI=Livorno|LO=Lodi|LU=Lucca|MC=Macerata|MN=Mantova|MS=Massa-Carrara|MT=Matera|ME=Messina|MI=Milano|MO=Modena|MB=Monza e Brianza|NA=Napoli|NO=Novara|NU=Nuoro|OR=Oristano|PD=Padova|PA=Palermo|PR=Parma|PV=Pavia|PG=Perugia|PU=Pesaro e Urbino|PE=Pescara|PC=Piacenza|PI=Pisa|PT=Pistoia|PN=Pordenone|PZ=Potenza|PO=Prato|RG=Ragusa|RA=Ravenna|RC=Reggio Calabria|RE=Reggio Emilia|RI=Rieti|RN=Rimini|RM=Roma|RO=Rovigo|SA=Salerno|SS=Sassari|SV=Savona|SI=Siena|SR=Siracusa|SO=Sondrio|SU=Sud Sardegna|TA=Taranto|TE=Teramo|TR=Terni|TO=Torino|TP=Trapani|TN=Trento|TV=Treviso|TS=Trieste|UD=Udine|VA=Varese|VE=Venezia|VB=Verbano-Cusio-Ossola|VC=Vercelli|VR=Verona|VV=Vibo Valentia|VI=Vicenza|VT=Viterbo
US AL=Alabama|AK=Alaska|AS=American Samoa|AZ=Arizona|AR=Arkansas|AA=Armed Forces (AA)|AE=Armed Forces (AE)|AP=Armed Forces (AP)|CA=California|CO=Colorado|CT=Connecticut|DE=Delaware|DC=District of Columbia|FL=Florida|GA=Georgia|GU=Guam|HI=Hawaii|ID=Idaho|IL=Illinois|IN=Indiana|IA=Iowa|KS=Kansas|KY=Kentucky|LA=Louisiana|ME=Maine|MH=Marshall Islands|MD=Maryland|MA=Massachusetts|MI=Michigan|FM=Micronesia|MN=Minnesota|MS=Mississippi|MO=Missouri|MT=Montana|NE=Nebraska|NV=Nevada|NH=New Hampshire|NJ=New Jersey|NM=New Mexico|NY=New York|NC=North Carolina|ND=North Dakota|MP=Northern Mariana Islands|OH=Ohio|OK=Oklahoma|OR=Oregon|PW=Palau|PA=Pennsylvania|PR=Puerto Rico|RI=Rhode Island|SC=South Carolina|SD=South Dakota|TN=Tennessee|TX=Texas|UT=Utah|VT=Vermont|VI=Virgin Islands|VA=Virginia|WA=Washington|WV=West Virginia|WI=Wisconsin|WY=Wyoming
`;var N=e=>new Map(e.trim().split(`
`).map(t=>[t.slice(0,2),t.slice(3)])),R=N(T),V=N(h),L=[...R.keys()];function f(e){let[t="A,C",C="AC",...a]=(R.get(e)??"").split(" ").filter(Boolean),n=a.map(A=>A.split("=")).map(([A,o])=>[A.toUpperCase(),o]);return{rows:t.split(",").map(A=>[...A]),needed:C,called:Object.fromEntries(n)}}function E(e){let t=V.get(e);return t?t.split("|").map(C=>C.split("=")):[]}var F={A:["line1","line2"],C:["city"],S:["state"],Z:["postalCode"]},O={name:"name",line1:"address-line1",line2:"address-line2",city:"address-level2",state:"address-level1",postalCode:"postal-code"},z={line1:"A",city:"C",state:"S",postalCode:"Z"},H={S:"province"};function se(e,t={}){let C=e==="shippingAddress",a=U(e,t),n=r("div"),A=b(`${e}.country`,`${C?"shipping":"billing"} country`,_(),t.country??"US"),o=()=>{let s=f(A.value),c=l=>K(a(l,A.value),l,s,C),Z=s.rows.map(l=>l.filter(S=>C||S==="S"||S==="Z").flatMap(S=>F[S]));n.replaceChildren(...C?[c("name")]:[],...Z.flatMap(l=>D(l.map(c),l)))};return A.addEventListener("input",o),o(),r("fieldset",{"data-address":e,"data-field":e},r("legend",{},i(C?"address_send":"address_where")),C?null:r("p",{class:"small"},i("address_why")),r("label",{},i("address_country"),A),n)}function D(e,t){let C=e.filter((n,A)=>t[A]?.startsWith("line")),a=e.slice(C.length);return a.length>1?[...C,r("div",{class:"pair"},...a)]:e}function U(e,t){let C=new Map;return(a,n)=>{let A=a==="state"?`state ${n}`:a,o=a==="state"?E(n):[],s=a==="state"&&n!==(t.country??"US")?"":t[a]??"",c=`${e}.${a}`,Z=`${e==="shippingAddress"?"shipping":"billing"} ${O[a]}`,l=C.get(A)??(o.length?b(c,Z,[["",""],...o],s):r("input",{name:c,autocomplete:Z,maxlength:120,value:s}));return C.set(A,l),l}}function K(e,t,C,a){let n=z[t],A=n&&(C.called[n]??H[n]),o=A?i(`part_${A}`):i(`address_${t}`),s=t==="name"||n!==void 0&&C.needed.includes(n);return e.required=a&&s,r("label",{},a&&!s?i("address_optional",{name:o}):o,e)}function b(e,t,C,a){let n=C.some(([A])=>A===a)?C:[...C,[a,a]];return r("select",{name:e,autocomplete:t},...n.map(([A,o])=>r("option",{value:A,selected:A===a},o)))}function _(){let e=new Intl.DisplayNames([p],{type:"region"});return L.map(t=>[t,e.of(t)??t]).sort((t,C)=>t[1].localeCompare(C[1],p))}function ie(e,t){if(!e.querySelector(`[data-address=${t}]`))return;let C=new FormData(e),a={};for(let n of["name","line1","line2","city","state","postalCode","country"]){let A=String(C.get(`${t}.${n}`)??"").trim();A&&(a[n]=A)}return a}export{x as a,X as b,I as c,se as d,ie as e};
