import{a,b}from"./chunk-T4PR5KY2.js";import"./chunk-IIBZTO7E.js";import"./chunk-CUIO43CT.js";import"./chunk-7CZR32NU.js";export{b as askForLinks,a as links};
