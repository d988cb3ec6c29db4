import{a as t}from"./chunk-HVPS6XJW.js";import{f as o}from"./chunk-FLKBXTPN.js";var l=({close:n})=>o("button",{type:"button",class:"btn",onClick:n,children:t("cancel")});export{l as a};
