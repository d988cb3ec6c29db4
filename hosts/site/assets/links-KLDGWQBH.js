import{a,b}from"./chunk-SXKBH3ST.js";import"./chunk-CCO3L4MQ.js";import"./chunk-VQWGJG6N.js";import"./chunk-K2H32I3R.js";import"./chunk-SQE76S5B.js";export{b as askForLinks,a as links};
