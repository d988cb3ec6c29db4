import{a as t}from"./chunk-BXEQTBKZ.js";import{f as o}from"./chunk-7R3LDZL4.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
