import{a,b}from"./chunk-NOJ6UTYM.js";import"./chunk-URWGK65Z.js";import"./chunk-VQWGJG6N.js";import"./chunk-42Z25RWE.js";import"./chunk-SQE76S5B.js";export{b as askForLinks,a as links};
