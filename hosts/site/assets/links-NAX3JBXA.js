import{a,b}from"./chunk-LGBWOR6R.js";import"./chunk-AZHZJ666.js";import"./chunk-VQWGJG6N.js";import"./chunk-K2H32I3R.js";import"./chunk-SQE76S5B.js";export{b as askForLinks,a as links};
