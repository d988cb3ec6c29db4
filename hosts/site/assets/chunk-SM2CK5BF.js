import{a as t}from"./chunk-MWJ72R77.js";import{f as o}from"./chunk-NTBRFRWT.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
