import{a as t}from"./chunk-H7GEBTFA.js";import{f as o}from"./chunk-5ECQ764N.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
