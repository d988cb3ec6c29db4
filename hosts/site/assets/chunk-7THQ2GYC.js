import{b as g}from"./chunk-CCO3L4MQ.js";import{a as A,e as m}from"./chunk-VQWGJG6N.js";import{c as T,d as f,h as b,i as h,j as u,k as o,l as Z}from"./chunk-K2H32I3R.js";var j=e=>e.map(t=>[(t.kind==="custom"?o("change_custom"):t.name)+(t.variantName?`, ${t.variantName}`:"")+(t.quantity>1?` × ${t.quantity}`:""),Z(t.amount)]);function X(e,t,a="later",C){let r=e.tax===null?o("bill_more",{amount:Z(e.amount)}):Z(e.amount),n=(s,i,c)=>A("tr",{},A("th",{scope:"row"},s,c?A("span",{class:"hint"},c):null),A("td",{},i));return A("div",{class:"bill"},A("table",{},A("caption",{class:"unseen"},o("bill")),A("tbody",{},...t.map(([s,i])=>n(s,i)),n(o("bill_subtotal"),Z(e.subtotal)),e.shipping>0?n(o("bill_shipping"),Z(e.shipping)):null,n(o("bill_tax"),e.tax===null?"--":Z(e.tax),e.tax===null?C:void 0),n(o("bill_tip",{percent:e.tipPercent}),Z(e.tip)),e.earlier?n(o("bill_earlier"),Z(e.earlier)):null),A("tfoot",{},e.paid===void 0?null:n(o("bill_agreed"),r),n(o(`bill_${a}`),e.paid===void 0?r:Z(e.paid),a==="later"?o("bill_when"):void 0),a==="later"?n(o("bill_today"),Z(0)):null)))}async function Ae(e,t,a,C,r=o("card_save")){if(t.checkoutUiMode==="hosted"&&t.url){location.assign(t.url);return}T?await V(e,t,C,r):await F(e,t,a,C,r)}var p=e=>A("p",{class:"note bad",role:"alert"},e);async function V(e,t,a,C){let r=await b("/_sim/cards"),n=A("button",{type:"submit"},C),s=r.map(([l,d],S)=>A("label",{},A("input",{type:"radio",name:"card",value:l,checked:S===0}),` ${d} `,A("span",{class:"small"},l.replaceAll("_"," ")))),i=A("form",{class:"sheet"},A("fieldset",{},A("legend",{},o("card_test")),A("p",{class:"small"},o("card_test_lead")),...s),n),c=m(n,async()=>{i.querySelector("[role=alert]")?.remove();try{await h("/_sim/complete",{session:t.sessionId,card:String(new FormData(i).get("card"))}),await a()}catch(l){i.append(l instanceof f&&l.problem.field==="card"?p(l.problem.error):g(l))}});i.addEventListener("submit",l=>{l.preventDefault(),c()}),e.replaceChildren(i),i.querySelector("input")?.focus()}var M="https://js.stripe.com/clover/stripe.js";async function O(e){if(window.Stripe||await new Promise((t,a)=>{let C=A("script",{src:M,onload:()=>t(),onerror:()=>a(new Error(M))});document.head.append(C)}),!window.Stripe)throw new Error(M);return window.Stripe(e,{locale:document.documentElement.lang})}async function F(e,t,a,C,r){let n;try{n=(await O(t.publishableKey??"")).initCheckout({clientSecret:t.clientSecret??""})}catch{e.replaceChildren(p(o("card_unavailable")));return}let s=A("div"),i=A("button",{type:"button",disabled:!0},r);e.replaceChildren(A("div",{class:"sheet"},s),i),n.createPaymentElement().mount(s);let c=await n.loadActions();if(c.type==="error"){e.replaceChildren(p(c.error.message));return}i.disabled=!1,i.addEventListener("click",m(i,async()=>{e.querySelector("[role=alert]")?.remove();let l=await c.actions.confirm(a?{email:a}:{});if(l.type==="error"){e.append(p(l.error.message));return}try{await C()}catch(d){e.append(g(d))}}))}var L=`AD A,ZC AC
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
`;var N=`AU ACT=Australian Capital Territory|JBT=Jervis Bay Territory|NSW=New South Wales|NT=Northern Territory|QLD=Queensland|SA=South Australia|TAS=Tasmania|VIC=Victoria|WA=Western Australia
BR AC=Acre|AL=Alagoas|AP=Amapá|AM=Amazonas|BA=Bahia|CE=Ceará|DF=Distrito Federal|ES=Espírito Santo|GO=Goiás|MA=Maranhão|MT=Mato Grosso|MS=Mato Grosso do Sul|MG=Minas Gerais|PA=Pará|PB=Paraíba|PR=Paraná|PE=Pernambuco|PI=Piauí|RJ=Rio de Janeiro|RN=Rio Grande do Norte|RS=Rio Grande do Sul|RO=Rondônia|RR=Roraima|SC=Santa Catarina|SP=São Paulo|SE=Sergipe|TO=Tocantins
CA AB=Alberta|BC=British Columbia|MB=Manitoba|NB=New Brunswick|NL=Newfoundland and Labrador|NT=Northwest Territories|NS=Nova Scotia|NU=Nunavut|ON=Ontario|PE=Prince Edward Island|QC=Quebec|SK=Saskatchewan|YT=Yukon
IT AG=Agrigento|AL=Alessandria|AN=Ancona|AO=Aosta|AR=Arezzo|AP=Ascoli Piceno|AT=Asti|AV=Avellino|BA=Bari|BT=Barletta-Andria-Trani|BL=Belluno|BN=Benevento|BG=Bergamo|BI=Biella|BO=Bologna|BZ=Bolzano|BS=Brescia|BR=Brindisi|CA=Cagliari|CL=Caltanissetta|CB=Campobasso|CE=Caserta|CT=Catania|CZ=Catanzaro|CH=Chieti|CO=Como|CS=Cosenza|CR=Cremona|KR=Crotone|CN=Cuneo|EN=Enna|FM=Fermo|FE=Ferrara|FI=Firenze|FG=Foggia|FC=Forlì-Cesena|FR=Frosinone|GE=Genova|GO=Gorizia|GR=Grosseto|IM=Imperia|IS=Isernia|AQ=L'Aquila|SP=La Spezia|LT=Latina|LE=Lecce|LC=Lecco|LI=Livorno|LO=Lodi|LU=Lucca|MC=Macerata|MN=Mantova|MS=Massa-Carrara|MT=Matera|ME=Messina|MI=Milano|MO=Modena|MB=Monza e Brianza|NA=Napoli|NO=Novara|NU=Nuoro|OR=Oristano|PD=Padova|PA=Palermo|PR=Parma|PV=Pavia|PG=Perugia|PU=Pesaro e Urbino|PE=Pescara|PC=Piacenza|PI=Pisa|PT=Pistoia|PN=Pordenone|PZ=Potenza|PO=Prato|RG=Ragusa|RA=Ravenna|RC=Reggio Calabria|RE=Reggio Emilia|RI=Rieti|RN=Rimini|RM=Roma|RO=Rovigo|SA=Salerno|SS=Sassari|SV=Savona|SI=Siena|SR=Siracusa|SO=Sondrio|SU=Sud Sardegna|TA=Taranto|TE=Teramo|TR=Terni|TO=Torino|TP=Trapani|TN=Trento|TV=Treviso|TS=Trieste|UD=Udine|VA=Varese|VE=Venezia|VB=Verbano-Cusio-Ossola|VC=Vercelli|VR=Verona|VV=Vibo Valentia|VI=Vicenza|VT=Viterbo
US AL=Alabama|AK=Alaska|AS=American Samoa|AZ=Arizona|AR=Arkansas|AA=Armed Forces (AA)|AE=Armed Forces (AE)|AP=Armed Forces (AP)|CA=California|CO=Colorado|CT=Connecticut|DE=Delaware|DC=District of Columbia|FL=Florida|GA=Georgia|GU=Guam|HI=Hawaii|ID=Idaho|IL=Illinois|IN=Indiana|IA=Iowa|KS=Kansas|KY=Kentucky|LA=Louisiana|ME=Maine|MH=Marshall Islands|MD=Maryland|MA=Massachusetts|MI=Michigan|FM=Micronesia|MN=Minnesota|MS=Mississippi|MO=Missouri|MT=Montana|NE=Nebraska|NV=Nevada|NH=New Hampshire|NJ=New Jersey|NM=New Mexico|NY=New York|NC=North Carolina|ND=North Dakota|MP=Northern Mariana Islands|OH=Ohio|OK=Oklahoma|OR=Oregon|PW=Palau|PA=Pennsylvania|PR=Puerto Rico|RI=Rhode Island|SC=South Carolina|SD=South Dakota|TN=Tennessee|TX=Texas|UT=Utah|VT=Vermont|VI=Virgin Islands|VA=Virginia|WA=Washington|WV=West Virginia|WI=Wisconsin|WY=Wyoming
`;var R=e=>new Map(e.trim().split(`
`).map(t=>[t.slice(0,2),t.slice(3)])),E=R(L),_=R(N),B=[...E.keys()];function y(e){let[t="A,C",a="AC",...C]=(E.get(e)??"").split(" ").filter(Boolean),r=C.map(n=>n.split("=")).map(([n,s])=>[n.toUpperCase(),s]);return{rows:t.split(",").map(n=>[...n]),needed:a,called:Object.fromEntries(r)}}function w(e){let t=_.get(e);return t?t.split("|").map(a=>a.split("=")):[]}var P={A:["line1","line2"],C:["city"],S:["state"],Z:["postalCode"]},D={name:"name",line1:"address-line1",line2:"address-line2",city:"address-level2",state:"address-level1",postalCode:"postal-code"},U={line1:"A",city:"C",state:"S",postalCode:"Z"},K={S:"province"};function pe(e,t={}){let a=e==="shippingAddress",C=x(e,t),r=A("div"),n=I(`${e}.country`,`${a?"shipping":"billing"} country`,$(),t.country??"US"),s=()=>{let i=y(n.value),c=d=>W(C(d,n.value),d,i,a),l=i.rows.map(d=>d.filter(S=>a||S==="S"||S==="Z").flatMap(S=>P[S]));r.replaceChildren(...a?[c("name")]:[],...l.flatMap(d=>k(d.map(c),d)))};return n.addEventListener("input",s),s(),A("fieldset",{"data-address":e,"data-field":e},A("legend",{},o(a?"address_send":"address_where")),a?null:A("p",{class:"small"},o("address_why")),A("label",{},o("address_country"),n),r)}function k(e,t){let a=e.filter((r,n)=>t[n]?.startsWith("line")),C=e.slice(a.length);return C.length>1?[...a,A("div",{class:"pair"},...C)]:e}function x(e,t){let a=new Map;return(C,r)=>{let n=C==="state"?`state ${r}`:C,s=C==="state"?w(r):[],i=C==="state"&&r!==(t.country??"US")?"":t[C]??"",c=`${e}.${C}`,l=`${e==="shippingAddress"?"shipping":"billing"} ${D[C]}`,d=a.get(n)??(s.length?I(c,l,[["",""],...s],i):A("input",{name:c,autocomplete:l,maxlength:120,value:i}));return a.set(n,d),d}}function W(e,t,a,C){let r=U[t],n=r&&(a.called[r]??K[r]),s=n?o(`part_${n}`):o(`address_${t}`),i=t==="name"||r!==void 0&&a.needed.includes(r);return e.required=C&&i,A("label",{},C&&!i?o("address_optional",{name:s}):s,e)}function I(e,t,a,C){let r=a.some(([n])=>n===C)?a:[...a,[C,C]];return A("select",{name:e,autocomplete:t},...r.map(([n,s])=>A("option",{value:n,selected:n===C},s)))}var Y=new Intl.DisplayNames([u],{type:"region"}),G=e=>Y.of(e)??e;function $(){return B.map(e=>[e,G(e)]).sort((e,t)=>e[1].localeCompare(t[1],u))}function me(e){let{rows:t}=y(e.country??""),a=Object.keys(P).filter(r=>!t.flat().includes(r)),C=[...t,a].map(r=>r.flatMap(n=>P[n].map(s=>e[s])).filter(Boolean).join(" "));return[e.name,...C,e.country&&G(e.country)].filter(Boolean).join(", ")}function ue(e,t){if(!e.querySelector(`[data-address=${t}]`))return;let a=new FormData(e),C={};for(let r of["name","line1","line2","city","state","postalCode","country"]){let n=String(a.get(`${t}.${r}`)??"").trim();n&&(C[r]=n)}return C}var[J,v]=(document.body.dataset.tip??"5 15").split(" ").map(Number);function Pe(e){let t=[...new Set([0,J,5,10,15,v])].filter(r=>r<=v),C=(t.includes(e)?t:[...t,e]).sort((r,n)=>r-n).map(r=>A("option",{value:r,selected:r===e},r===0?o("tip_none"):o("percent",{percent:r})));return A("fieldset",{},A("legend",{},o("tip")),A("label",{},o("tip_label"),A("select",{name:"tipPercent"},...C)))}export{j as a,X as b,Ae as c,O as d,pe as e,me as f,ue as g,J as h,Pe as i};
