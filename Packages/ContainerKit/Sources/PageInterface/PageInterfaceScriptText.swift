// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Written by Scripts/bridge-script from Script/src. Do not change it by hand.
// swift-format-ignore-file

/// The function of the script of a page's own interface, minified: 1190 bytes.
enum PageInterfaceScriptText {
    static let function = ###"""
(function({name:i,token:w,places:g,handler:y}){const{apply:m,ownKeys:v}=Reflect,{defineProperty:_,freeze:a,entries:l}=Object,s=self.webkit?.messageHandlers?.[y],h=location.protocol+"//"+location.host;if(!s||self.origin==="null"||i in self||!g.some(e=>new RegExp(e).test(h)))return;const{postMessage:k}=s,{random:E}=Math,f=()=>`${E()}`.slice(2);let d=f();const o=(e,t="")=>m(k,s,[`${w} ${d} ${e} ${t}`]),n={__proto__:null,update:new Set,activated:new Set,network:new Set};let r;const p=async()=>{if(!r){r=!0;try{for(let e;e=await o("next");)for(const[t,$]of l(e))for(const b of[...n[t]])try{b(a($))}catch(L){reportError(L)}}catch{}r=!1}},c={__proto__:null,package:()=>o("package"),ready:async()=>void await o("ready"),failed:async e=>void await o("failed",`${e}`.slice(0,256).replace(/\p{C}/gu," ")),reload:()=>o("reload"),network:()=>o("network"),addEventListener:(e,t)=>{typeof t!="function"||!n[e]||(n[e].add(t),p())},removeEventListener:(e,t)=>void n[e]?.delete(t)};for(const e of v(c))a(c[e]);_(self,i,{value:a(c),enumerable:!0}),addEventListener("pageshow",e=>{!e.persisted||!e.isTrusted||(d=f(),r=!1,u())});const u=()=>{o("hello").catch(()=>{}),l(n).some(([,{size:e}])=>e)&&p()};u()})
"""###
}
