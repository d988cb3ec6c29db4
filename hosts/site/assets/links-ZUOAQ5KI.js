import{a,b}from"./chunk-G4HY2IOD.js";import"./chunk-6RZYNYR2.js";import"./chunk-VQWGJG6N.js";import"./chunk-BSA7X7RJ.js";export{b as askForLinks,a as links};
