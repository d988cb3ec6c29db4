import{g as e}from"./chunk-FF57SXVT.js";function n(){return e("p",{})}export{n as default};
