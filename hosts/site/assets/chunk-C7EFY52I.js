import{a as t}from"./chunk-ADUQKJFI.js";import{f as o}from"./chunk-6VRYRBMK.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
