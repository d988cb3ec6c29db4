import{d as m}from"./chunk-IUXDBRRG.js";var i=(e=60)=>m("/admin/summary",e);export{i as a};
