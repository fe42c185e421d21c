// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The script of the mode `document`: see DocumentScript.swift, which calls the function with its values. `base` is the
// URL of a worker that a document has created; the worker itself runs at the URL of a blob.

/* global VALUES */
(function main(values, base) {
  const { page, schemes, hashes, folders, imports, referrer } = values;
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { stringify } = JSON;
  const { URL, Request, Blob, document: doc, fetch, top } = self;
  // The script also runs in documents and frames that the engine has loaded itself, whose policies may forbid the
  // custom scheme. It does nothing there. The adapter marks the frames that it fills.
  const isTop = self === top;
  if (isTop && location.href.split("#")[0] !== page) return;

  // Replaces a function ("value"), a getter ("get") or a setter ("set"). `run` calls the original.
  const wrap = (owner, key, part, call) => {
    let property;
    while (owner && !(property = getOwnPropertyDescriptor(owner, key))) owner = getPrototypeOf(owner);
    if (!property) return;
    property[part] = new Proxy(property[part], {
      apply: (f, self, args) => call(self, args, (...args) => apply(f, self, args)),
      construct: (f, args, target) => call(target, args, (...args) => construct(f, args, target)),
    });
    defineProperty(owner, key, property);
  };
  if (isTop && referrer != null) {
    wrap(Document.prototype, "referrer", "get", (self, _, run) => (self === doc ? referrer : run()));
  }
  if (!(isTop ? Object.keys(hashes)[0] : base || frameElement?.hasAttribute("containerkit"))) return;

  // Modules with absolute URLs, also of `import()`. The map stays in effect when its element is removed.
  if (imports && doc) {
    const map = doc.createElement("script");
    map.type = "importmap";
    map.text = stringify({ imports });
    doc.documentElement.append(map);
    map.remove();
  }

  // Returns a text with real URLs in place of custom-scheme URLs.
  const real = (text) => {
    for (const scheme in schemes) text &&= text.replaceAll(schemes[scheme] + "://", scheme + "//");
    return text;
  };
  const parse = (text) => new URL(real(String(text)), base ?? doc.baseURI);
  // Makes a URL real: that of `import.meta.url`, and in a worker a relative one. A Request stays.
  const fix = (args, at) => {
    try {
      const text = args[at];
      if (args.length > at && !(text instanceof Request) && (base || real(String(text)) !== text)) {
        args[at] = parse(text).href;
      }
    } catch {}
  };
  // Returns the custom-scheme URL of a held URL, or undefined.
  const sets = {}, encoder = new TextEncoder();
  const held = (text) => {
    try {
      const url = parse(text), { href, origin, protocol } = url;
      if (!(origin in hashes)) return;
      sets[origin] ??= new Set(new Uint32Array(Uint8Array.from(atob(hashes[origin]), (c) => c.charCodeAt()).buffer));
      let hash = 0x811c9dc5;
      for (const byte of encoder.encode(decodeURIComponent(url.pathname))) hash = Math.imul(hash ^ byte, 0x1000193);
      if (sets[origin].has(hash >>> 0) || folders.some((start) => href.startsWith(start))) {
        return schemes[protocol] + href.slice(protocol.length - 1);
      }
    } catch {}
  };
  // Request fields that need no CORS preflight.
  const areSafe = (fields) => fields.every(([name, value]) =>
    /^accept$/i.test(name) && /^[\w *,.;=/+-]{0,127}$/.test(value));

  wrap(self, "fetch", "value", (_, args, run) => {
    fix(args, 0);
    try {
      const [input, init] = args;
      if (/^get$/i.test(init?.method ?? input.method ?? "get") && init?.body == null) {
        const request = new Request(input, init), { mode, signal } = request;
        const url = mode !== "no-cors" && areSafe([...request.headers]) && held(request.url);
        if (url) {
          return fetch(new Request(url, request), { mode: "cors", signal })
            .catch((error) => { if (signal.aborted) throw error; return run(...args); });
        }
      }
    } catch {}
    return run(...args);
  });

  const calls = new WeakMap(), XHR = XMLHttpRequest.prototype, { open, setRequestHeader } = XHR;
  wrap(XHR, "open", "value", (self, args, run) => {
    fix(args, 1);
    run(...args);
    const [method, url, async = true, user] = args;
    calls.set(self, /^get$/i.test(method) && user == null && [held(url), async, []]);
  });
  wrap(XHR, "setRequestHeader", "value", (self, args, run) => {
    run(...args);
    calls.get(self)?.[2]?.push(args.map(String));
  });
  wrap(XHR, "send", "value", (self, args, run) => {
    const [url, async, fields] = calls.get(self) || [];
    if (url && areSafe(fields)) {
      apply(open, self, ["GET", url, async]);
      fields.map((field) => apply(setRequestHeader, self, field));
    }
    run(...args);
  });
  const show = (owner, key) => wrap(owner, key, "get", (_, __, run) => real(run()));
  show(Response.prototype, "url");
  show(XHR, "responseURL");

  // A worker must have the origin of the page, as a blob has. It runs this script, and then its own. If a policy forbids
  // blobs, the engine loads the worker.
  const forbidsBlobs = () => doc && [...doc.querySelectorAll("meta[http-equiv]")].some(
    ({ content }) => /(default|script|worker|child)-src(?![^;]* blob:)/i.test(content));
  const blobs = {};
  const blob = (text) => (blobs[text] ??= URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  wrap(self, "Worker", "value", (_, args, run) => {
    fix(args, 0);
    try {
      const [url, options] = args, script = forbidsBlobs() ? 0 : stringify(held(url));
      if (script) {
        const own = `(${main})(${stringify(values)},${stringify(parse(url))});`;
        return run(
          blob(options?.type === "module"
            ? `import${stringify(blob(own))};import${script}` : `${own}importScripts(${script})`),
          options);
      }
    } catch {}
    return run(...args);
  });
  if (!doc) {
    const place = new URL(base);
    defineProperty(self, "location", { get: () => place });
    wrap(self, "Request", "value", (_, args, run) => {
      fix(args, 0);
      return run(...args);
    });
    wrap(self, "importScripts", "value", (_, args, run) => run(...args.map((url) => held(url) ?? parse(url).href)));
    return;
  }

  // Returns the value for an attribute that loads a resource. The spelling of `crossorigin` marks an attribute of the
  // container, which must not stay with another URL.
  const mark = "ANONYMOUS";
  const value = (element, key, text) => {
    const { localName, rel, integrity, type } = element;
    // An empty text is not a URL.
    if (typeof text === "object" || text === "") return text;
    text = `${text}`;
    // A server may not permit CORS, which applies to all URLs of an image.
    let isMixed = element.closest("picture") || key === "src" && element.srcset;
    let url = key === "srcset"
      ? text.replace(/(^\s*|,\s+)(\S+?)(?=,*(\s|$))/g, (_, start, url) => start + (held(url) ?? (isMixed = url)))
      : localName === "link" && (integrity || !/^$|sheet|load|icon/i.test(rel))
        ? text : held(text) ?? text;
    if (isMixed) url = text;
    const mode = element.getAttribute("crossorigin");
    if (real(url) === url) {
      if (mode === mark) element.removeAttribute("crossorigin");
    } else if (mode === null && type !== "module") element.setAttribute("crossorigin", mark);
    return url;
  };
  const { getAttribute, setAttribute } = Element.prototype;
  const keys = { __proto__: null, script: ["src"], img: ["src", "srcset"], link: ["href"] };
  for (const tag in keys) {
    const owner = doc.createElement(tag).constructor.prototype;
    const loads = (name) => keys[tag].includes(String(name).toLowerCase());
    for (const key of keys[tag]) {
      show(owner, key);
      wrap(owner, key, "set", (self, [text], run) => run(value(self, key, text)));
    }
    // Methods of these elements alone, so that others keep the speed of the engine.
    Object.assign(owner, { getAttribute, setAttribute });
    wrap(owner, "getAttribute", "value", (_, args, run) => (loads(args[0]) ? real(run(...args)) : run(...args)));
    wrap(owner, "setAttribute", "value", (self, args, run) => {
      if (args.length > 1 && loads(args[0])) args[1] = value(self, String(args[0]).toLowerCase(), args[1]);
      run(...args);
    });
  }
  show(HTMLImageElement.prototype, "currentSrc");
  // Text that a script gives to the parser keeps its real URLs. Without the network, the container has the resources.
  addEventListener("error", (event) => {
    const { target } = event;
    for (const key of keys[target.localName] ?? []) {
      const text = apply(getAttribute, target, [key]) ?? "", url = value(target, key, text);
      if (url !== text && target.localName !== "script") {
        event.stopImmediatePropagation();
        target[key] = url;
      }
    }
  }, true);
})(VALUES);
