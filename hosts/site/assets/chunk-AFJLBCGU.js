import{a as t}from"./chunk-LUHX6KWB.js";import{f as o}from"./chunk-QDYXZMCE.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
