import{a as t}from"./chunk-ZJYZ3BJT.js";import{f as o}from"./chunk-JOUEUYTD.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
