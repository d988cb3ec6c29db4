import{a}from"./chunk-467OVWIV.js";import"./chunk-OOJM4CTU.js";export default a();
