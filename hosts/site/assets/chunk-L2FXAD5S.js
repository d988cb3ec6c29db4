import{a as t}from"./chunk-SYJGBNWE.js";import{f as o}from"./chunk-TYBJCCG3.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
