var r={amex:"American Express",diners:"Diners Club",jcb:"JCB",unionpay:"UnionPay"},e=n=>r[n]??n.charAt(0).toUpperCase()+n.slice(1).replaceAll("_"," ");export{e as a};
