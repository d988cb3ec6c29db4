import{a as t}from"./chunk-XO3ZCLEB.js";import{f as o}from"./chunk-Q4LXQRQA.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
