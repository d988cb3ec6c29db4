import{g as d}from"./chunk-FF57SXVT.js";function n(){return d("h1",{children:"AddOns"})}export{n as default};
