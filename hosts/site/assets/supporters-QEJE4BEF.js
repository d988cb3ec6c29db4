import{g as r}from"./chunk-FF57SXVT.js";function o(){return r("h1",{children:"Supporters"})}export{o as default};
