import{a as t}from"./chunk-GUQOJJDZ.js";import{f as o}from"./chunk-CDR2QPOV.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
