import{g as t}from"./chunk-FF57SXVT.js";function n(){return t("h1",{children:"Settings"})}export{n as default};
