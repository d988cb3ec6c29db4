import{a,b}from"./chunk-J5O45JQ6.js";import"./chunk-QGVWVO2N.js";import"./chunk-VQWGJG6N.js";import"./chunk-42Z25RWE.js";import"./chunk-SQE76S5B.js";export{b as askForLinks,a as links};
