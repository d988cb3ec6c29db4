import{a,b}from"./chunk-NSVL7MD5.js";import"./chunk-FOWQYMML.js";import"./chunk-VQWGJG6N.js";import"./chunk-K2H32I3R.js";export{b as askForLinks,a as links};
