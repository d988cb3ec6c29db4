import{a,b}from"./chunk-KUY5PA5Y.js";import"./chunk-ZFPXDDCR.js";import"./chunk-3EYTF2I7.js";export{b as askForLinks,a as links};
