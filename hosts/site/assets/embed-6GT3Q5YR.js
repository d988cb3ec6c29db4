function o(){let e=()=>{window.parent.postMessage({type:"pledgeworks:resize",height:document.documentElement.scrollHeight},"*")};new ResizeObserver(e).observe(document.body),e()}export{o as embed};
