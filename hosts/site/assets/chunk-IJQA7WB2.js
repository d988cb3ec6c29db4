import{d as m}from"./chunk-7252OQ2P.js";var i=(e=60)=>m("/admin/summary",e);export{i as a};
