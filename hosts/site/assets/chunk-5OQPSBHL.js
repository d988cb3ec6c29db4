import{a as t}from"./chunk-LFGWVR5E.js";import{f as o}from"./chunk-WZX2LGGY.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
