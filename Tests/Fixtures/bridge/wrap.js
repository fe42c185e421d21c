// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Pages whose libraries wrap the engine's functions, such as libraries for analytics, error reports and sockets, and
// the calls that these libraries observe.

const log = [];

/** Wraps by assignment like analytics libraries, and calls the previous functions. */
const watch = () => {
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url) {
    this.watched = `${method} ${url}`;
    return open.apply(this, arguments);
  };
  XMLHttpRequest.prototype.send = function (body) {
    this.addEventListener("loadend", () => log.push(`${this.watched} ${this.status} ${new URL(this.responseURL).pathname}`));
    return send.apply(this, arguments);
  };
  const fetch = globalThis.fetch;
  globalThis.fetch = async function (input, init) {
    const answer = await fetch.call(this, input, init);
    log.push(`fetch ${new URL(answer.url).pathname} ${answer.status} ${answer instanceof Response}`);
    return answer;
  };
  const { sendBeacon } = navigator;
  navigator.sendBeacon = function (...args) {
    log.push(`beacon ${args[0]}`);
    return sendBeacon.apply(navigator, args);
  };
};

/** Reads and redefines property descriptors, like libraries for error reports. */
const describe = () => {
  for (const key of ["responseURL", "upload", "status"]) {
    const { get, ...rest } = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, key);
    Object.defineProperty(XMLHttpRequest.prototype, key, { ...rest, get() { return get.call(this); } });
  }
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const heard = typeof listener === "function" ? function (event) { return listener.call(this, event); } : listener;
    return addEventListener.call(this, type, heard, options);
  };
};

/** Replaces a constructor like socket libraries, with the engine's prototype or a subclass. */
const replace = () => {
  const Engine = globalThis.XMLHttpRequest;
  function Replaced() { return Reflect.construct(Engine, [], new.target === Replaced ? Engine : new.target); }
  Replaced.prototype = Engine.prototype;
  globalThis.XMLHttpRequest = Replaced;
  const EngineRequest = globalThis.Request;
  globalThis.Request = class extends EngineRequest { get isOurs() { return true; } };
};

const sent = (path, body, type) => new Promise((done) => {
  const request = new XMLHttpRequest();
  const events = [];
  let last = -1;
  let isMonotonic = true;
  request.upload.onprogress = ({ loaded, total }) => {
    isMonotonic &&= loaded > last && loaded <= total;
    last = loaded;
  };
  request.upload.onload = ({ loaded, total }) => events.push(`${loaded === total} ${isMonotonic}`);
  for (const event of ["loadstart", "load", "loadend", "error"]) {
    request.upload.addEventListener(event, () => events.push(`upload ${event}`));
  }
  request.onreadystatechange = () => {
    if (request.readyState === 4) setTimeout(() => done(`${events} ${request.status} ${request instanceof XMLHttpRequest}`));
  };
  request.open("POST", path, true);
  request.setRequestHeader("Accept", "application/json, text/plain, */*");
  if (type) request.setRequestHeader("Content-Type", type);
  request.send(body);
});

const form = () => {
  const data = new FormData();
  data.append("text", "value");
  data.append("file", new Blob(["file"], { type: "a/b" }), "name.bin");
  return data;
};

const wrapped = async () => {
  const found = {};
  const steps = { nothing: () => {}, watch, describe, replace, again: watch };
  for (const step in steps) {
    steps[step]();
    const cell = (name) => `/record/${step}-${name}`;
    found[`${step} json`] = await sent(cell("json"), JSON.stringify({ a: 1 }), "application/json");
    found[`${step} blob`] = await sent(cell("blob"), new Blob(["blob"], { type: "c/d" }));
    found[`${step} large`] = await sent(cell("large"), new Blob([new Uint8Array(5 << 20)]));
    found[`${step} form`] = await sent(cell("form"), form());
    const text = async (answer) => `${(await answer).status} ${await (await answer).text()}`;
    found[`${step} fetch`] = await text(fetch(cell("fetch"), { method: "POST", body: new Blob(["fetched"]) }));
    const request = new Request(cell("request"), { method: "PUT", body: form() });
    found[`${step} request`] = await text(fetch(request));
    found[`${step} kind`] = `${request instanceof Request} ${request.isOurs}`;
    found[`${step} beacon`] = `${navigator.sendBeacon(cell("beacon"), new Blob(["beacon"]))}`;
    await fetch(`/arrived/${step}-beacon`);
  }
  return { found, log };
};
