// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Written by Scripts/bridge-script from Script/src. Do not change it by hand.
// swift-format-ignore-file

/// The script of older pages, minified.
enum LegacyScriptText {
    /// For pages: 1808 bytes.
    static let page = ###"""
(()=>{var c=CONTAINERKIT;var{apply:t,defineProperty:y,getOwnPropertyDescriptor:H}=Reflect,{parse:k,stringify:O}=JSON,{Promise:a,TypeError:u,document:_,location:P,origin:f,prompt:v,setTimeout:T}=globalThis,{reject:x,resolve:A}=a,{replaceAll:C,startsWith:E,toWellFormed:I}=String.prototype,{toString:N}=Object.prototype,w=H(globalThis.Document.prototype,"cookie"),p=(e,o)=>{let{href:s}=P,l=t(E,s,[`${f}/`])?s:`${f}/`,r=t(C,O(o),["\xA5","\\u00a5"]),n=k(t(v,globalThis,[`${c.token} ${e} ${l} ${r}`]));if(n?.value===void 0)throw new u(n?.error??"the app does not answer");return n.value},g=e=>{let o=typeof e=="object"&&t(N,e,[]);return o==="[object Object]"||o==="[object Array]"},S=e=>{let{requestId:o,bodyEncoding:s,headers:l}=e??{},r=e?.body;if(typeof r=="string")r=t(I,r,[]);else if(r!==null&&!g(r))throw new u("body is neither a string nor a plain object");if(l!=null&&!g(l))throw new u("headers is no plain object");return p("body",{__proto__:null,requestId:o,body:r,bodyEncoding:s,headers:l}),t(T,globalThis,[()=>{let n=globalThis[c.callback];typeof n=="function"&&t(n,globalThis,[o])}]),o},m=()=>{try{globalThis.original_cookie=t(w.get,_,[])}catch{}},D=e=>(t(w.set,_,[p("cookie",e)]),m(),!0),R=e=>{let{url:o,method:s,body:l}=e??{},r=p("prefetch",{__proto__:null,url:o,method:s,body:l}),n=4;return new a((j,$)=>{let h=()=>{try{let i=p("prefetched",r);if(i)return j(k(i));n<32&&(n+=1),t(T,globalThis,[h,n])}catch(i){$(i)}};h()})},W=e=>({postMessage:o=>{try{return t(A,a,[e(o)])}catch(s){return t(x,a,[s])}}}),b=globalThis.webkit?.messageHandlers??{},d=(e,o)=>{y(b,e,{__proto__:null,value:W(o),configurable:!0,enumerable:!0})};d(c.bodyHandler,S);d(c.cookieHandler,D);d(c.prefetchHandler,R);globalThis.webkit||y(globalThis,"webkit",{__proto__:null,value:{messageHandlers:b},enumerable:!0});c.kept=b;m();})();
"""###
}
