import{g as n}from"./chunk-FF57SXVT.js";function t(){return n("h1",{children:"Marketing"})}export{t as default};
