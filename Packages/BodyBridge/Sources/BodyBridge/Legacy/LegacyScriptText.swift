// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Written by Scripts/bridge-script from Script/src. Do not change it by hand.
// swift-format-ignore-file

/// The script of older pages, minified.
enum LegacyScriptText {
    /// For pages: 1549 bytes.
    static let page = ###"""
(()=>{var i=CONTAINERKIT;var{apply:t,defineProperty:d,getOwnPropertyDescriptor:T}=Reflect,{parse:_,stringify:w}=JSON,{Promise:c,TypeError:a,document:g,location:m,origin:b,prompt:j,setTimeout:$}=globalThis,{reject:O,resolve:v}=c,{replaceAll:H,startsWith:P,toWellFormed:A}=String.prototype,{toString:C}=Object.prototype,h=T(globalThis.Document.prototype,"cookie"),y=(o,e)=>{let{href:n}=m,s=t(P,n,[`${b}/`])?n:`${b}/`,r=t(H,w(e),["\xA5","\\u00a5"]),l=_(t(j,globalThis,[`${i.token} ${o} ${s} ${r}`]));if(l?.value===void 0)throw new a(l?.error??"the app does not answer");return l.value},u=o=>{let e=typeof o=="object"&&t(C,o,[]);return e==="[object Object]"||e==="[object Array]"},E=o=>{let{requestId:e,bodyEncoding:n,headers:s}=o??{},r=o?.body;if(typeof r=="string")r=t(A,r,[]);else if(r!==null&&!u(r))throw new a("body is neither a string nor a plain object");if(s!=null&&!u(s))throw new a("headers is no plain object");return y("body",{__proto__:null,requestId:e,body:r,bodyEncoding:n,headers:s}),t($,globalThis,[()=>{let l=globalThis[i.callback];typeof l=="function"&&t(l,globalThis,[e])}]),e},f=()=>{try{globalThis.original_cookie=t(h.get,g,[])}catch{}},I=o=>(t(h.set,g,[y("cookie",o)]),f(),!0),N=o=>({postMessage:e=>{try{return t(v,c,[o(e)])}catch(n){return t(O,c,[n])}}}),p=globalThis.webkit?.messageHandlers??{},k=(o,e)=>{d(p,o,{__proto__:null,value:N(e),configurable:!0,enumerable:!0})};k(i.bodyHandler,E);k(i.cookieHandler,I);globalThis.webkit||d(globalThis,"webkit",{__proto__:null,value:{messageHandlers:p},enumerable:!0});i.kept=p;f();})();
"""###
}
