import{a,b}from"./chunk-A7A6D75K.js";import"./chunk-HR7RGKVY.js";import"./chunk-3CSYZE6E.js";export{b as askForLinks,a as links};
