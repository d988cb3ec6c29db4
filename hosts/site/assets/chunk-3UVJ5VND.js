import{a as t}from"./chunk-TOZRVEFQ.js";import{f as o}from"./chunk-VVO6XOTG.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
