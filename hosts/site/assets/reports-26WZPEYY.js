import{g as o}from"./chunk-FF57SXVT.js";function t(){return o("h1",{children:"Reports"})}export{t as default};
