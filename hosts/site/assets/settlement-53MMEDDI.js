import{g as t}from"./chunk-FF57SXVT.js";function e(){return t("p",{})}export{e as default};
