import{a as t}from"./chunk-EEZWBY4P.js";import{f as o}from"./chunk-UUQMUYXJ.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
