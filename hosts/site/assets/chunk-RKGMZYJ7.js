import{a as t}from"./chunk-5SAF2IAA.js";import{f as o}from"./chunk-7MR5AHPI.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
