import{g as o}from"./chunk-FF57SXVT.js";function e(){return o("p",{})}export{e as default};
