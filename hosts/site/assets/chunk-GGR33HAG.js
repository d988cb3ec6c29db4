var r={amex:"American Express",diners:"Diners Club",jcb:"JCB",unionpay:"UnionPay"},s=n=>r[n]??n.charAt(0).toUpperCase()+n.slice(1).replaceAll("_"," ");export{s as a};
