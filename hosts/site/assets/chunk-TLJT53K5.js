import{a as t}from"./chunk-7IP4ROQP.js";import{f as o}from"./chunk-CVV7WAO4.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
