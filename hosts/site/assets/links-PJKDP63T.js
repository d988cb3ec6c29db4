import{a,b}from"./chunk-PZHCS3XU.js";import"./chunk-WC4GAN2Y.js";import"./chunk-3CSYZE6E.js";export{b as askForLinks,a as links};
