// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Written by Scripts/bridge-script from Script/src. Do not change it by hand.
// swift-format-ignore-file

/// The script of older pages, minified.
enum LegacyScriptText {
    /// For pages: 1973 bytes.
    static let page = ###"""
(()=>{var l=CONTAINERKIT;var{apply:r,defineProperty:k,getOwnPropertyDescriptor:H}=Reflect,{parse:_,stringify:P}=JSON,{Promise:a,TypeError:b,document:T,location:x,origin:h,prompt:I,setTimeout:w}=globalThis,{reject:A,resolve:C}=a,{replaceAll:E,startsWith:M,toWellFormed:N}=String.prototype,{toString:S}=Object.prototype,m=H(globalThis.Document.prototype,"cookie"),p=(o,e)=>{let{href:t}=x,c=r(M,t,[`${h}/`])?t:`${h}/`,n=r(E,P(e),["\xA5","\\u00a5"]),s=_(r(I,globalThis,[`${l.token} ${o} ${c} ${n}`]));if(s?.value===void 0)throw new b(s?.error??"the app does not answer");return s.value},y=o=>o!==null&&(typeof o=="object"||typeof o=="function"||typeof o=="symbol"),g=o=>{let e=typeof o=="object"&&r(S,o,[]);return e==="[object Object]"||e==="[object Array]"},q=o=>o.requestId??o[l.idMembers[0]]??o[l.idMembers[1]],D=o=>{let{bodyEncoding:e,headers:t}=o??{},c=q(o??{}),n=o?.body;if(typeof n=="string")n=r(N,n,[]);else if(y(n)&&!g(n))throw new b("body is neither text nor a plain object");if(y(t)&&!g(t))throw new b("headers is no plain object");return p("body",{__proto__:null,requestId:c,body:n,bodyEncoding:e,headers:t}),r(w,globalThis,[()=>{let s=globalThis[l.callback];typeof s=="function"&&r(s,globalThis,[c])}]),c},j=()=>{try{globalThis.original_cookie=r(m.get,T,[])}catch{}},R=o=>(r(m.set,T,[p("cookie",o)]),j(),!0),W=o=>{let{url:e,method:t,body:c}=o??{},n=p("prefetch",{__proto__:null,url:e,method:t,body:c}),s=4;return new a((O,$)=>{let f=()=>{try{let i=p("prefetched",n);if(i)return O(_(i));s<32&&(s+=1),r(w,globalThis,[f,s])}catch(i){$(i)}};f()})},v=o=>({postMessage:e=>{try{return r(C,a,[o(e)])}catch(t){return r(A,a,[t])}}}),d=globalThis.webkit?.messageHandlers??{},u=(o,e)=>{for(let t=0;t<o.length;t+=1){let c=v(e);k(d,o[t],{__proto__:null,value:c,configurable:!0,enumerable:!0})}};u(l.bodyHandlers,D);u(l.cookieHandlers,R);u(l.prefetchHandlers,W);globalThis.webkit||k(globalThis,"webkit",{__proto__:null,value:{messageHandlers:d},enumerable:!0});l.kept=d;j();})();
"""###
}
