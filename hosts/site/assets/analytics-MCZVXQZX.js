import{g as n}from"./chunk-FF57SXVT.js";function t(){return n("h1",{children:"Analytics"})}export{t as default};
