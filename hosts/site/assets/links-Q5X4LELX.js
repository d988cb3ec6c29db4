import{a,b}from"./chunk-OL4ISZVF.js";import"./chunk-JW7Z2URL.js";import"./chunk-VQWGJG6N.js";import"./chunk-BSA7X7RJ.js";export{b as askForLinks,a as links};
