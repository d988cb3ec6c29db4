import{a as t}from"./chunk-QNUCUH77.js";import{f as o}from"./chunk-3JNC7ATA.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
