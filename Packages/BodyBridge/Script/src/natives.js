// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The functions of the page's world that the script uses, saved before a page can change them. No code below calls a
// method by name on a value of the page, or iterates by a protocol that the page can replace.

export const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;

/** The world of the page or the worker. */
export const world = globalThis;

/** Returns a method as a function of its receiver. */
const uncurry = (method) => method && ((self, ...rest) => apply(method, self, rest));
export const prototype = (name) => world[name]?.prototype;
export const getter = (name, key) => uncurry(prototype(name)?.__lookupGetter__(key));
const method = (name, key) => uncurry(prototype(name)?.[key]);
// Short forms for frequent uses, because the script must be small.
export const ofRequest = (key) => getter("Request", key);
const ofText = (key) => method("String", key);
const xhrMethod = (key) => method("XMLHttpRequest", key);
const ofXHR = (key) => getter("XMLHttpRequest", key);

// The world of a worker has no document, no forms and no dialogs.
export const {
  Blob, Object, ProgressEvent, Promise, Proxy, Request, TypeError, URL, Uint8Array, WeakMap, XMLHttpRequest, btoa, decodeURIComponent, document, encodeURIComponent,
  fetch, location, navigator, origin, prompt,
} = world;

export const { stringify, parse } = JSON;
export const { fromCharCode } = String;
export const { now } = Date;

export const weakGet = method("WeakMap", "get");
export const weakSet = method("WeakMap", "set");
export const startsWith = ofText("startsWith");
export const slice = ofText("slice");
export const charCodeAt = ofText("charCodeAt");
export const replace = ofText("replace");
export const lowerCase = ofText("toLowerCase");
export const upperCase = ofText("toUpperCase");
export const subarray = method("Uint8Array", "subarray");
export const setBytes = method("Uint8Array", "set");
// The object itself is created on demand, because its creation takes as long as the rest of this module.
const cryptoOf = world.__lookupGetter__("crypto");
const fill = method("Crypto", "getRandomValues");
export const random = (bytes) => fill(apply(cryptoOf, world, []), bytes);
export const utf8 = ((encoder, encode) => (text) => encode(encoder, text))(
  new TextEncoder(), method("TextEncoder", "encode"));

export const blobSize = getter("Blob", "size");
export const blobType = getter("Blob", "type");
export const blobSlice = method("Blob", "slice");
export const blobBytes = method("Blob", "arrayBuffer");
export const fileName = getter("File", "name");
export const dispatch = method("EventTarget", "dispatchEvent");
export const addListener = method("EventTarget", "addEventListener");
export const stopEvent = method("Event", "stopImmediatePropagation");
export const targetOf = getter("Event", "target");
export const submitterOf = getter("SubmitEvent", "submitter");
export const entriesOf = getter("FormDataEvent", "formData");
export const attributeOf = method("Element", "getAttribute");
export const formForEach = method("FormData", "forEach");
export const setHeader = method("Headers", "set");
export const headerOf = method("Headers", "get");
export const headersOf = ofRequest("headers");
export const methodOf = ofRequest("method");
export const bytesOfRequest = method("Request", "arrayBuffer");
export const urlOf = ofRequest("url");
export const modeOf = ofRequest("mode");
export const credentialsOf = ofRequest("credentials");
export const keepaliveOf = ofRequest("keepalive");
export const isOK = getter("Response", "ok");
export const isAborted = getter("AbortSignal", "aborted");
export const hrefOf = getter("URL", "href");
export const then = method("Promise", "then");
export const matched = method("RegExp", "exec");
export const xhrOpen = xhrMethod("open");
export const xhrSend = xhrMethod("send");
export const xhrHeader = xhrMethod("setRequestHeader");
export const xhrText = ofXHR("responseText");
export const xhrMimeType = xhrMethod("overrideMimeType");
export const xhrState = ofXHR("readyState");
export const xhrTimeout = ofXHR("timeout");
export const xhrUpload = ofXHR("upload");
export const xhrWithCredentials = ofXHR("withCredentials");
export const baseURI = ((get) => () => document ? get(document) : location.href)(getter("Node", "baseURI"));

/**
 * Returns the result of a function for a value, or undefined if it throws. With a getter this is a type check that no
 * page can deceive.
 */
export const attempt = (get, value) => {
  try { return get(value); } catch {}
};

/**
 * Converts the first `count` arguments to strings, once and in order, because a page can detect the conversions.
 * Converts no argument if fewer are present.
 */
export const readTexts = (args, count) => {
  for (let index = 0; index < count && args.length >= count; index++) args[index] = `${args[index]}`;
};

/** Returns whether a value is an object or a function. */
export const isObject = (value) => Object(value) === value;
export const isBlob = (value) => isObject(value) && attempt(blobSize, value) >= 0;
export const isRequest = (value) => isObject(value) && !!attempt(urlOf, value);
export const isForm = (value) =>
  isObject(value) && attempt((form) => !formForEach(form, () => {}), value);
