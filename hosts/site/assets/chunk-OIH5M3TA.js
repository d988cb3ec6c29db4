import{a as t}from"./chunk-PKGLN67M.js";import{f as o}from"./chunk-6BVVUBYD.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
