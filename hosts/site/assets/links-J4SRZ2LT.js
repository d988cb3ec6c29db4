import{a,b}from"./chunk-5FEECFH2.js";import"./chunk-UOJ5AFHR.js";import"./chunk-CUIO43CT.js";import"./chunk-4BGWP62C.js";export{b as askForLinks,a as links};
