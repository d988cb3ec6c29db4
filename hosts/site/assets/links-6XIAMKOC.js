import{a,b}from"./chunk-G7ZEKS5O.js";import"./chunk-7TNGOTYY.js";import"./chunk-VQWGJG6N.js";import"./chunk-NHRVRWRB.js";export{b as askForLinks,a as links};
