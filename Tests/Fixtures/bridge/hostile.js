// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// A hostile page that tries to make the container request a Blob body, to replace a body, or to read the container's
// token. Each attack sends to /record/<name>. The server must receive the text `body of <name>` in some form, or
// nothing.

const seen = [];
const token = /\b[0-9a-f]{32}\b/;

/** Records values of the container that the page can see. */
const look = (where, ...values) => {
  for (const value of values) {
    let text;
    try { text = typeof value === "object" && value !== null ? JSON.stringify(value) : `${String(value)}`; } catch { continue; }
    if (token.test(text)) seen.push(`${where}: ${text.slice(0, 200)}`);
  }
};

const attacks = {};
const place = (name) => `${location.origin}/record/${name}`;
const text = (name) => `body of ${name}`;
const blob = (name, type = "") => new Blob([text(name)], { type });
const filled = (name) => {
  const form = new FormData();
  form.append("a", new File([text(name)], "a.txt"));
  return form;
};

/**
 * Functions taken from the window of a frame before its document and the container's script arrive. The engine keeps
 * the window when the document arrives, so that these functions work.
 */
let untouched;
const prepare = async () => {
  const window = frame({ src: "/frame.html" }).contentWindow;
  const { Request, XMLHttpRequest, Blob, FormData, HTMLFormElement, navigator } = window;
  const { fetch } = window;
  untouched = { Request, XMLHttpRequest, Blob, FormData, HTMLFormElement, navigator, fetch: (...a) => fetch.apply(window, a) };
  await new Promise((end) => window.frameElement.addEventListener("load", end));
  untouched.isKept = window.Request === Request || window.document.title === "a frame";
};
const pristine = () => untouched;

const post = (name, body, more = {}) => ({ method: "POST", body, ...more });

/** Returns a form of the document, with a file if the engine lets a script select one. */
const makeForm = (name, { root = document.body, doc = document, file = true, target } = {}) => {
  const form = doc.createElement("form");
  form.method = "post";
  form.setAttribute("action", place(name));
  form.enctype = "multipart/form-data";
  const inner = target ?? frame({ name: `to-${name}` }).name;
  form.target = inner;
  const field = doc.createElement("input");
  if (file) {
    field.type = "file";
    const list = new DataTransfer();
    list.items.add(new File([text(name)], "a.txt"));
    field.files = list.files;
  } else {
    field.value = text(name);
  }
  field.setAttribute("name", "field");
  form.append(field);
  root.append(form);
  return form;
};

const shown = (form) => new Promise((end) => {
  const element = document.querySelector(`iframe[name="${form.getAttribute("target")}"]`);
  if (!element) return end("no frame");
  const poll = setInterval(() => {
    let body;
    try { body = element.contentDocument?.body?.textContent; } catch (error) { body = error.name; }
    if (body) { clearInterval(poll); end(body); }
  }, 20);
});

// Functions and objects of a world in which the script has not run.
attacks.pristineFetch = (name) => pristine().fetch(place(name), post(name, blob(name)));
attacks.pristineFetchForm = (name) => pristine().fetch(place(name), post(name, filled(name)));
attacks.pristineFetchPlain = (name) => pristine().fetch(place(name), post(name, text(name))).then((r) => r.text());
attacks.pristineFetchNoCORS = (name) => pristine().fetch(place(name), post(name, blob(name), { mode: "no-cors" }));
attacks.pristineRequest = (name) => fetch(new (pristine().Request)(place(name), post(name, blob(name)))).then((r) => r.text());
attacks.pristineRequestForm = (name) => fetch(new (pristine().Request)(place(name), post(name, filled(name))));
attacks.pristineRequestPlain = (name) =>
  fetch(new (pristine().Request)(place(name), post(name, text(name)))).then((r) => r.text());
attacks.pristineRequestTwice = (name) =>
  fetch(new Request(new (pristine().Request)(place(name), post(name, blob(name))))).then((r) => r.text());
attacks.pristineClone = (name) =>
  fetch(pristine().Request.prototype.clone.call(new Request(place(name), post(name, blob(name))))).then((r) => r.text());
attacks.pristineEmpty = (name) => fetch(new (pristine().Request)(place(name), { method: "POST" })).then((r) => r.text());
attacks.frameRequest = (name) => {
  const { contentWindow } = frame();
  return fetch(new contentWindow.Request(place(name), post(name, blob(name)))).then((r) => r.text());
};
attacks.frameFetch = (name) => frame().contentWindow.fetch(place(name), post(name, blob(name))).then((r) => r.text());
attacks.frameOfRequest = (name) =>
  frame().contentWindow.fetch(new Request(place(name), post(name, blob(name)))).then((r) => r.text());
attacks.foreignBlob = (name) =>
  fetch(place(name), post(name, new (pristine().Blob)([text(name)]))).then((r) => r.text());
attacks.foreignForm = (name) => {
  const form = new (pristine().FormData)();
  form.append("a", blob(name));
  return fetch(place(name), post(name, form)).then((r) => r.text());
};
const ended = (request) => new Promise((end) => { request.onloadend = () => end(request.responseText || "failed"); });
attacks.pristineXHR = (name) => {
  const request = new (pristine().XMLHttpRequest)();
  request.open("POST", place(name));
  const end = ended(request);
  request.send(blob(name));
  return end;
};
attacks.pristineSend = (name) => {
  const { send } = pristine().XMLHttpRequest.prototype;
  const request = new XMLHttpRequest();
  request.open("POST", place(name));
  const end = ended(request);
  send.call(request, blob(name));
  return end;
};
// The text of a body is created after the request has announced its body.
attacks.sendWithinSend = (name) => {
  const { send } = pristine().XMLHttpRequest.prototype;
  const request = new XMLHttpRequest();
  request.open("POST", place(name));
  const end = ended(request);
  try {
    request.send({ toString() { send.call(request, blob(name)); return text(name); } });
  } catch { /* The request is in progress. */ }
  return end;
};
attacks.sendAfterSend = (name) => {
  const { send } = pristine().XMLHttpRequest.prototype;
  const request = new XMLHttpRequest();
  request.open("POST", place(name));
  try { request.send({ toString() { throw new Error(); } }); } catch { /* Expected. */ }
  const end = ended(request);
  send.call(request, blob(name));
  return end;
};
attacks.sendTwice = (name) => {
  const { send } = pristine().XMLHttpRequest.prototype;
  const request = new XMLHttpRequest();
  request.open("POST", place(name));
  request.upload.addEventListener("loadstart", () => {
    try { send.call(request, blob(name)); } catch { /* Already sent. */ }
  });
  const end = ended(request);
  request.send(text(name));
  return end;
};

// Announcements for another request than the one that is sent.
attacks.announcedPlain = async (name) => {
  const window = pristine();
  const stop = new AbortController();
  const first = fetch(place(name), post(name, text(name), { mode: "no-cors", signal: stop.signal })).catch(() => {});
  stop.abort();
  await first;
  return window.fetch(place(name), post(name, blob(name), { mode: "no-cors" }));
};
attacks.announcedForm = (name) => {
  const window = pristine();
  const form = makeForm(name, { file: false });
  form.submit();
  const done = window.fetch(place(name), post(name, blob(name), { mode: "no-cors" }));
  form.remove();
  return done;
};
attacks.madeUpEvent = (name) => {
  const window = pristine();
  const form = makeForm(name, { file: false });
  form.dispatchEvent(new FormDataEvent("formdata", { formData: new FormData(form), bubbles: true }));
  return window.fetch(place(name), post(name, blob(name), { mode: "no-cors" }));
};
attacks.blockedForm = (name) => {
  // The request is collected and never sent, because its frame is gone. The next request must not send its announced
  // body.
  const form = makeForm("nothing-of-this", { target: "_self" });
  form.setAttribute("action", place(name));
  form.target = "x";
  form.method = "dialog";
  form.submit();
  return pristine().fetch(place(name), post(name, text(name), { mode: "no-cors" }));
};

// Forged markers and messages.
const guesses = ["plain", "0".repeat(32) + " plain", " plain", "undefined plain", "null plain", "take " + "0".repeat(32) + " 5"];
attacks.guessedMark = async (name) => {
  const ends = [];
  for (const guess of guesses) {
    ends.push(await outcome(pristine().fetch(place(name), post(name, blob(name), { headers: { "ContainerKit-Request": guess } }))));
    ends.push(await outcome(fetch(place(name), post(name, blob(name), { headers: { "ContainerKit-Request": guess } }))));
  }
  return ends;
};
attacks.guessedXHR = (name) => {
  const request = new (pristine().XMLHttpRequest)();
  request.open("POST", place(name));
  request.setRequestHeader("ContainerKit-Request", "plain");
  const end = ended(request);
  request.send(blob(name));
  return end;
};
attacks.echoedHeaders = async (name) => {
  for (const options of [post(name, text(name)), post(name, blob(name)), post(name, filled(name)), { credentials: "include" }]) {
    const answer = await fetch("/echo", options);
    look("echo", await answer.text(), JSON.stringify([...answer.headers]), answer.url);
  }
  const request = new XMLHttpRequest();
  request.open("POST", "/echo", false);
  request.send(blob(name));
  look("echo of XHR", request.responseText, request.getAllResponseHeaders(), request.responseURL);
};
attacks.requestHeaders = async (name) => {
  const request = new Request(place(name), post(name, blob(name)));
  await fetch(request.clone());
  await fetch(request);
  look("headers", JSON.stringify([...request.headers]));
};

// Modified primordials in a separate world: a frame of this origin whose document runs the attack.
const changes = {
  reflect: "for (const key of Reflect.ownKeys(Reflect)) { const f = Reflect[key]; if (typeof f === 'function') "
    + "Reflect[key] = function (...a) { see('Reflect', ...a, ...(a[2] ?? [])); return f.apply(this, a) } }",
  json: "for (const key of ['parse', 'stringify']) { const f = JSON[key]; JSON[key] = function (...a) { see('JSON', ...a); return f.apply(this, a) } }",
  toJSON: "Object.prototype.toJSON = function () { see('toJSON', Object.values(this).map(String).join()); return this }; "
    + "Object.defineProperty(Object.prototype, 'toJSON', { enumerable: false })",
  forged: "Object.defineProperty(Object.prototype, 'toJSON', { value() { return this?.ask ? { ...this, words: 'plain' } : this } })",
  objects: "for (const key of ['get', 'apply', 'construct', 'has', 'getPrototypeOf', 'headers', 'mode', 'signal', 'words', 'token', 'value', 'mark', 'ask', 'place', 'url', 'top', 'id', 'offset', 'bytes'])"
    + "Object.defineProperty(Object.prototype, key, { __proto__: null, configurable: true, get() { see('get ' + key, typeof this === 'object' ? Object.values(this).map(String).join() : this); return undefined },"
    + "set(value) { see('set ' + key, value); Object.defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true }) } })",
  traps: "Object.defineProperty(Object.prototype, 'get', { value: (target, key) => { see('trap', target, key); return target[key] } })",
  iterators: "const f = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function () { see('iterator', [].join.call(this)); return f.call(this) }",
  numbers: "for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set(value) { see('set ' + i, value); Object.defineProperty(this, i, { value, writable: true, enumerable: true, configurable: true }) } })",
  promises: "for (const key of ['then', 'catch', 'finally']) { const f = Promise.prototype[key]; Promise.prototype[key] = function (...a) { see('Promise', ...a); return f.apply(this, a) } }",
  species: "Object.defineProperty(Promise.prototype, 'constructor', { get() { see('constructor', this); return Promise } })",
  strings: "for (const key of Object.getOwnPropertyNames(String.prototype)) { const f = String.prototype[key]; if (typeof f === 'function' && !['valueOf', 'toString', 'constructor'].includes(key)) "
    + "String.prototype[key] = function (...a) { see('String ' + key, this, ...a); return f.apply(this, a) } }",
  text: "const f = Function.prototype.toString; Function.prototype.toString = function () { see('toString', typeof this === 'function' ? '' : this); return f.apply(this, arguments) }",
  calls: "for (const key of ['call', 'apply', 'bind']) { const f = Function.prototype[key], g = Reflect.apply; Function.prototype[key] = function (...a) { see(key, ...a, ...(a[1]?.length ? a[1] : [])); return g(f, this, a) } }",
  headers: "for (const key of ['set', 'append', 'get', 'has']) { const f = Headers.prototype[key]; Headers.prototype[key] = function (...a) { see('Headers', ...a); return f.apply(this, a) } }",
  setHeader: "const f = XMLHttpRequest.prototype.setRequestHeader; XMLHttpRequest.prototype.setRequestHeader = function (...a) { see('header', ...a); return f.apply(this, a) }",
  requests: "for (const key of Object.getOwnPropertyNames(Request.prototype)) { const d = Object.getOwnPropertyDescriptor(Request.prototype, key); if (d.get) "
    + "Object.defineProperty(Request.prototype, key, { get() { const value = d.get.call(this); if (value instanceof Headers) see('Request', ...[...value].flat()); return value } }) }",
  maps: "for (const kind of [Map, WeakMap, Set, WeakSet]) for (const key of ['get', 'set', 'has', 'add']) { const f = kind.prototype[key]; if (f) kind.prototype[key] = function (...a) { see('Map', ...a); const value = f.apply(this, a); see('Map', value); return value } }",
  noMaps: "WeakMap.prototype.get = () => undefined; Map.prototype.get = () => undefined",
  noSizes: "Object.defineProperty(Blob.prototype, 'size', { get: () => 3 }); Object.defineProperty(Blob.prototype, 'type', { get: () => 'x' }); Blob.prototype.slice = () => new Blob(['wrong']); Blob.prototype.arrayBuffer = async () => new ArrayBuffer(3)",
  noForms: "FormData.prototype.forEach = () => {}; FormData.prototype.entries = () => [][Symbol.iterator](); FormData.prototype[Symbol.iterator] = FormData.prototype.entries",
  prompts: "for (const key of ['prompt', 'alert', 'confirm']) globalThis[key] = (...a) => see(key, ...a)",
  origin: "globalThis.origin = 'https://evil.example'; Object.defineProperty(globalThis, 'origin', { value: 'https://evil.example', configurable: true })",
  senders: "const f = fetch; globalThis.fetch = (...a) => { see('fetch', ...a, a[0]?.headers && [...a[0].headers].join()); return f(...a) }; globalThis.Request = class extends Request { constructor(...a) { super(...a); see('made', ...[...this.headers].flat()) } }",
  errors: "addEventListener('error', (event) => see('error', event.message, event.error?.stack)); addEventListener('unhandledrejection', (event) => see('rejection', event.reason?.stack))",
  posting: "for (const key of ['postMessage', 'dispatchEvent']) { const f = globalThis[key]; globalThis[key] = (...a) => { see(key, ...a); return f.apply(globalThis, a) } }",
  reopened: "const f = Function.prototype.toString; Function.prototype.toString = function () { see('toString', typeof this === 'function' ? '' : this); return f.apply(this, arguments) };"
    + "const g = Reflect.apply; Reflect.apply = function (...a) { see('apply', ...a, ...a[2]); return g(...a) }; globalThis.prompt = (...a) => see('prompt', ...a);"
    + "const h = Headers.prototype.set; Headers.prototype.set = function (...a) { see('set', ...a); return h.apply(this, a) };"
    + "for (const key of ['again', 'kept', 'isWarmUp', 'hasBodies']) Object.defineProperty(Object.prototype, key, { configurable: true, "
    + "get() { see('get ' + key, typeof this === 'object' ? Object.values(this).map(String).join() : this); return undefined },"
    + "set(value) { Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true }) } });"
    + "document.open(); addEventListener('error', (event) => see('error', event.message));"
    + "document.write('<html><body>again'); document.close()",
};
const world = async (name, change) => {
  const element = frame({ src: "/frame.html" });
  await new Promise((end) => { element.onload = end; });
  const inner = element.contentWindow;
  const found = [];
  inner.see = (...values) => { for (const value of values) if (typeof value === "string" || value instanceof inner.String) found.push(value); };
  inner.eval(`(() => { ${change} })()`);
  const run = inner.eval(`(async () => {
    const out = [];
    const body = () => new Blob(["${text(name)}"]);
    const form = () => { const f = new FormData(); f.append("a", body()); return f };
    const attempt = async (f) => { try { out.push(String(await f())) } catch (error) { out.push(String(error && error.name)) } };
    await attempt(() => fetch("${place(name)}", { method: "POST", body: body(), __proto__: null }).then((r) => r.text()));
    await attempt(() => fetch("${place(name)}", { method: "POST", body: form(), __proto__: null }).then((r) => r.text()));
    await attempt(() => fetch(new Request("${place(name)}", { method: "POST", body: "${text(name)}", __proto__: null })).then((r) => r.text()));
    await attempt(() => { const x = new XMLHttpRequest(); x.open("POST", "${place(name)}", false); x.send(body()); return x.responseText });
    await attempt(() => new Promise((end) => { const x = new XMLHttpRequest(); x.open("POST", "${place(name)}"); x.onloadend = () => end(x.responseText || "failed"); x.send(body()) }));
    await attempt(() => { document.cookie; return "" });
    await attempt(() => { const i = document.createElement("img"); i.src = "https://forms.example/none"; i.setAttribute("src", "https://forms.example/no"); return "" });
    await attempt(() => { new Worker("/worker.js").onmessage = (event) => see(event.data); return "" });
    await attempt(() => navigator.sendBeacon("${place(name)}", body()));
    return out.join();
  })()`);
  const ends = await outcome(run, 2000);
  look(`world ${name}`, ...found.map(String), ends);
  return ends;
};
for (const change in changes) attacks[`world-${change}`] = (name) => world(name, changes[change]);

/** Runs the same in frames of an uncovered site. Returns their observations by the name of the change. */
const uncovered = async () => {
  const seen = {};
  for (const change in changes) {
    const told = new Promise((end) => {
      addEventListener("message", ({ data }) => { if (data.change === change) end(data); });
    });
    frame({ src: `https://bare.example/uncovered.html?${change}` });
    seen[change] = await Promise.race([told, new Promise((end) => setTimeout(end, 5000, "nothing"))]);
  }
  return seen;
};

// A worker script that the page requests simultaneously.
const workerURL = (name, module) => `/worker.js?${name}${module ? "&module" : ""}`;
const workerSays = (worker) => new Promise((end) => {
  worker.onmessage = (event) => end(JSON.stringify(event.data));
  worker.onerror = (event) => end(`error ${event.message}`);
});
for (const type of ["classic", "module"]) {
  attacks[`worker-${type}`] = async (name) => {
    const url = workerURL(name);
    const first = fetch(url).then((answer) => answer.text());
    const link = document.createElement("link");
    link.rel = "preload"; link.as = "script"; link.href = url;
    document.head.append(link);
    const worker = new Worker(`${url}#own`, { type, name: "its name" });
    const says = await outcome(workerSays(worker), 2000);
    look("worker", says);
    look("worker's file", await first, await (await fetch(url)).text());
    worker.terminate();
    return says;
  };
}

// Frames of other kinds.
const sandboxes = ["allow-scripts", "allow-scripts allow-same-origin", "allow-scripts allow-same-origin allow-modals", "allow-scripts allow-forms"];
sandboxes.forEach((sandbox, index) => {
  attacks[`sandbox-${index}`] = (name) => new Promise((end) => {
    addEventListener("message", (event) => { if (event.data?.name === name) end(event.data.out); });
    frame({
      sandbox,
      srcdoc: `<script>(async () => {
        const out = [];
        const attempt = async (f) => { try { out.push(String(await f())) } catch (error) { out.push(error.name) } };
        const body = new Blob(["${text(name)}"]);
        await attempt(() => fetch("${place(name)}", { method: "POST", body }).then((r) => r.text()));
        await attempt(() => fetch("${place(name)}", { method: "POST", body, mode: "no-cors" }).then((r) => r.type));
        await attempt(() => { const x = new XMLHttpRequest(); x.open("POST", "${place(name)}", false); x.send(body); return x.responseText });
        parent.postMessage({ name: "${name}", out: out.join() }, "*");
      })()<\/script>`,
    });
  });
});

// Forms.
for (const [key, options] of Object.entries({
  plain: {}, stop: { stop: "stopPropagation" }, stopImmediate: { stop: "stopImmediatePropagation" }, windowStop: { stop: "stopImmediatePropagation", on: window },
  late: { late: true }, text: { file: false }, detachedDocument: { detached: true }, frameDocument: { inFrame: true },
})) {
  for (const way of ["submit", "requestSubmit"]) {
    attacks[`form-${key}-${way}`] = (name) => {
      const doc = options.inFrame ? frame().contentDocument : document;
      const form = makeForm(name, { file: !options.late && options.file !== false, doc, root: doc.body });
      if (options.detached) {
        const other = document.implementation.createHTMLDocument("");
        other.body.append(form);
      }
      if (options.inFrame) { form.target = ""; form.setAttribute("target", ""); }
      if (options.stop) (options.on ?? form).addEventListener("formdata", (event) => event[options.stop](), { capture: !!options.on, once: true });
      if (options.late) form.addEventListener("formdata", (event) => event.formData.set("field", new File([text(name)], "late.txt")));
      form[way]();
      if (options.detached) return "not connected";
      if (!options.inFrame) return shown(form);
      return new Promise((end) => setTimeout(() => end("in a frame"), 500));
    };
  }
}
for (const mode of ["open", "closed", "declarative"]) {
  attacks[`form-shadow-${mode}`] = (name) => {
    const host = document.createElement("div");
    document.body.append(host);
    let root;
    if (mode === "declarative") {
      if (!host.setHTMLUnsafe) return "not here";
      host.setHTMLUnsafe("<template shadowrootmode=open></template>");
      root = host.shadowRoot;
    } else {
      root = host.attachShadow({ mode });
    }
    const form = makeForm(name, { root });
    form.requestSubmit();
    return shown(form);
  };
}
for (const field of ["submit", "action", "method", "enctype", "target", "elements", "getAttribute"]) {
  attacks[`form-named-${field}`] = (name) => {
    const form = makeForm(name);
    const input = document.createElement("input");
    input.name = field;
    form.append(input);
    HTMLFormElement.prototype.submit.call(form);
    return outcome(shown(form), 1500);
  };
}
attacks.formPristineSubmit = (name) => {
  const form = makeForm(name);
  pristine().HTMLFormElement.prototype.submit.call(form);
  return shown(form);
};

// Bodies with misleading types.
attacks.sizedBlob = (name) => {
  const body = blob(name);
  Object.defineProperty(body, "size", { value: 3 });
  Object.defineProperty(body, "type", { value: "wrong/type" });
  return fetch(place(name), post(name, body)).then((r) => r.text());
};
attacks.subclassedBlob = (name) => {
  class Other extends Blob {
    get size() { return 1; }
    slice() { return new Blob(["wrong"]); }
    async arrayBuffer() { return new ArrayBuffer(1); }
    toString() { return "wrong"; }
  }
  return fetch(place(name), post(name, new Other([text(name)]))).then((r) => r.text());
};
attacks.subclassedForm = (name) => {
  class Other extends FormData {
    forEach() {}
    entries() { return [][Symbol.iterator](); }
    [Symbol.iterator]() { return this.entries(); }
  }
  const form = new Other();
  form.append("a", blob(name));
  return fetch(place(name), post(name, form)).then((r) => r.text());
};
attacks.subclassedRequest = (name) => {
  class Other extends Request {
    get url() { return "/record/wrong"; }
    get method() { return "GET"; }
    get headers() { return new Headers(); }
    clone() { return new Request("/record/wrong"); }
  }
  return fetch(new Other(place(name), post(name, blob(name)))).then((r) => r.text());
};
attacks.changedForm = (name) => {
  const form = filled(name);
  const request = new Request(place(name), post(name, form));
  form.set("a", "wrong");
  return fetch(request).then((r) => r.text());
};
attacks.blobProxy = (name) => fetch(place(name), post(name, new Proxy(blob(name), {}))).then((r) => r.text());
attacks.blobURL = async (name) => {
  const url = URL.createObjectURL(blob(name));
  const body = await (await fetch(url)).blob();
  return fetch(place(name), post(name, body)).then((r) => r.text());
};
attacks.duplex = (name) => fetch(place(name), post(name, blob(name), { duplex: "half" })).then((r) => r.text());
attacks.usedTwice = async (name) => {
  const request = new Request(place(name), post(name, blob(name)));
  await fetch(request);
  return fetch(request);
};
attacks.gettersOfInit = (name) => {
  let count = 0;
  const init = { method: "POST", get body() { return count++ ? blob("another") : text(name); } };
  return fetch(place(name), init).then((r) => r.text());
};
attacks.getterFirstBlob = (name) => {
  let count = 0;
  const init = { method: "POST", get body() { return count++ ? text("another") : blob(name); } };
  return fetch(place(name), init).then((r) => r.text());
};
attacks.methodChanges = (name) => {
  let count = 0;
  return fetch(place(name), { get method() { return count++ ? "GET" : "POST"; }, body: blob(name) }).then((r) => r.text());
};
attacks.transferred = async (name) => {
  const buffer = new TextEncoder().encode(text(name)).buffer;
  const answer = fetch(place(name), post(name, buffer));
  const { port1 } = new MessageChannel();
  port1.postMessage(buffer, [buffer]);
  return (await answer).text();
};
attacks.clonedBlob = (name) => fetch(place(name), post(name, structuredClone(blob(name)))).then((r) => r.text());
attacks.beacon = (name) => navigator.sendBeacon(place(name), blob(name));
attacks.pristineBeacon = (name) => pristine().navigator.sendBeacon(place(name), blob(name));
attacks.names = () => {
  look("names", Reflect.ownKeys(globalThis).map(String).join(), Reflect.ownKeys(document).map(String).join(), Reflect.ownKeys(navigator).map(String).join(), document.documentElement.outerHTML);
  try { null.x; } catch (error) { look("stack", error.stack); }
  try { fetch({ toString() { throw new Error(); } }); } catch (error) { look("stack", error.stack); }
  return fetch({ toString() { const error = new Error(); look("stack", error.stack); return "http://["; } }).catch((error) => look("stack", error.stack));
};

/** Methods that the engine calls to convert a value to text. A script could return any text from them. */
attacks.worldTexts = async (name) => {
  const asked = [];
  const keys = [
    [RegExp.prototype, Symbol.replace], [RegExp.prototype, Symbol.split], [RegExp.prototype, Symbol.match],
    [RegExp.prototype, "exec"], [String.prototype, Symbol.replace], [String.prototype, Symbol.split],
    [String.prototype, "toJSON"], [Object.prototype, "toJSON"], [Array.prototype, Symbol.iterator],
  ];
  const before = keys.map(([object, key]) => Object.getOwnPropertyDescriptor(object, key));
  for (const [object, key] of keys) {
    const old = object[key];
    Object.defineProperty(object, key, { configurable: true, value(...values) {
      asked[asked.length] = `${values[0]}`;
      return old ? Reflect.apply(old, this, values) : this;
    } });
  }
  document.cookie = "text=one";
  const cookies = document.cookie;
  for (let index = 0; index < keys.length; index++) {
    delete keys[index][0][keys[index][1]];
    if (before[index]) Object.defineProperty(keys[index][0], keys[index][1], before[index]);
  }
  const isTold = asked.some((value) => value.includes("ask") || value.includes("text=one"));
  return fetch(place(name), post(name, isTold || !cookies.includes("text=one") ? `${asked}` : text(name)));
};

/** Runs all attacks or the named ones. Returns their results, and the observed values of the container. */
const runAttacks = async (names = []) => {
  await prepare();
  const results = {};
  for (const name of names.length ? names : Object.keys(attacks)) {
    results[name] = await outcome((async () => attacks[name](name))(), 2500);
    look(name, results[name]);
  }
  await new Promise((end) => setTimeout(end, 300));
  return { results, seen, errors: globalThis.errors ?? [] };
};
