import{a}from"./chunk-767DWHZK.js";import"./chunk-OOJM4CTU.js";export default a();
