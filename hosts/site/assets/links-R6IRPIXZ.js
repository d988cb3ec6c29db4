import{a,b}from"./chunk-FBZPEN32.js";import"./chunk-LI6VG2SK.js";import"./chunk-OQ3KSMDC.js";import"./chunk-4FSWN3RB.js";import"./chunk-SQE76S5B.js";export{b as linkRequestForm,a as links};
