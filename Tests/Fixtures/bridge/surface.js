// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The observable properties of each function that the injected script may replace, as JSON. They must be equal in the
// plain engine and in the container.

const functions = (world) => {
  const found = {};
  const add = (owner, name, key) => {
    const descriptor = owner && Object.getOwnPropertyDescriptor(owner, key);
    found[`${name}.${String(key)}`] = descriptor;
  };
  for (const name of [
    "fetch", "Request", "Response", "XMLHttpRequest", "FormData", "Worker", "EventSource", "Navigator", "Element",
    "Blob", "File",
  ]) add(world, "window", name);
  add(world.Function.prototype, "Function", "toString");
  add(world.Document.prototype, "Document", "cookie");
  const owners = {
    Request: ["clone", "url", "constructor", "method", "headers", "body"], Response: ["clone", "url", "constructor"],
    XMLHttpRequest: ["open", "send", "setRequestHeader", "responseURL", "upload", "constructor", "abort"],
    FormData: ["constructor", "append"], Worker: ["constructor", "postMessage"], EventSource: ["url", "constructor"],
    Navigator: ["sendBeacon"], Element: ["setAttribute", "getAttribute", "attachShadow"],
    HTMLFormElement: ["submit", "requestSubmit", "action"],
    HTMLImageElement: ["src", "srcset"], HTMLScriptElement: ["src"], HTMLLinkElement: ["href"], HTMLIFrameElement: ["src"],
    HTMLMediaElement: ["src"], HTMLVideoElement: ["poster"], HTMLSourceElement: ["src"], HTMLTrackElement: ["src"],
    HTMLEmbedElement: ["src"], HTMLObjectElement: ["data"], HTMLInputElement: ["src", "formAction"],
    HTMLAnchorElement: ["href"],
  };
  for (const owner in owners) for (const key of owners[owner]) add(world[owner]?.prototype, owner, key);
  return found;
};

const describeFunction = (f, pristine) => {
  if (typeof f !== "function") return String(f);
  const outcomeOf = (body) => {
    try { return `returns ${Object.prototype.toString.call(body())}`; } catch (error) { return `${error.name}: ${error.message}`; }
  };
  const isConstructor = "prototype" in f;
  return {
    name: f.name, length: f.length, text: String(f), texts: [Function.prototype.toString.call(f), `${f}`],
    own: Reflect.ownKeys(f).map(String).sort(),
    descriptors: Reflect.ownKeys(f).filter((key) => key !== "prototype").map((key) => {
      const { value, get, set, ...rest } = Object.getOwnPropertyDescriptor(f, key);
      return [String(key), { ...rest, value: typeof value === "function" ? value.name : value, get: typeof get, set: typeof set }];
    }).sort(),
    prototype: typeof f.prototype, hasPrototype: Object.hasOwn(f, "prototype"), tag: Object.prototype.toString.call(f),
    parent: Object.getPrototypeOf(f) === Function.prototype || Object.getPrototypeOf(f).name,
    isExtensible: Object.isExtensible(f), isFrozen: Object.isFrozen(f),
    pristine: pristine ? pristine.call(f) : undefined,
    constructs: isConstructor && f.prototype ? f.prototype.constructor === f : undefined,
    called: outcomeOf(() => { const value = f.call({}); value?.catch?.(() => {}); return value; }),
    calledBare: outcomeOf(() => { const value = f.call(undefined); value?.catch?.(() => {}); return value; }),
    calledOnNull: outcomeOf(() => { const value = f.call(null, 1, 2); value?.catch?.(() => {}); return value; }),
    made: isConstructor ? outcomeOf(() => new f()) : outcomeOf(() => Reflect.construct(Object, [], f)),
    newWithout: outcomeOf(() => new f(Symbol())),
    assigned: (() => { f.ckProbe = 1; const was = Object.hasOwn(f, "ckProbe"); delete f.ckProbe; return [was, Object.hasOwn(f, "ckProbe")]; })(),
    asKey: new Map([[f, 1]]).get(f), proto: Object.hasOwn(f, "arguments") || Object.hasOwn(f, "caller"),
  };
};

/** Returns the properties that a plain request reads from prototypes that the page modified, and their number. */
const asksOfFetch = async () => {
  let asked = "";
  const spies = [[Array.prototype, 1], [Number.prototype, "method"], [Object.prototype, "headers"]];
  for (let index = 0; index < spies.length; index++) {
    const name = String(spies[index][1]);
    Object.defineProperty(spies[index][0], spies[index][1], {
      configurable: true, enumerable: true, get() { asked += `${name} `; }, set() { asked += `=${name} `; },
    });
  }
  const answers = [fetch("/frame.html"), fetch("/frame.html", 5), fetch("/frame.html", {})];
  for (let index = 0; index < spies.length; index++) delete spies[index][0][spies[index][1]];
  await Promise.allSettled(answers);
  return asked;
};

const errorsOf = async () => {
  const found = {};
  const attempt = async (name, body) => {
    try { found[name] = `fine: ${Object.prototype.toString.call(await body())}`; } catch (error) {
      found[name] = `${Object.prototype.toString.call(error)} ${error.name}: ${error.message}`;
    }
  };
  const element = document.createElement("img");
  const sync = (name, body) => { try { body(); found[name] = "fine"; } catch (error) { found[name] = `${error.name}: ${error.message}`; } };
  await attempt("fetch()", () => fetch());
  sync("fetch() at once", () => { fetch().catch(() => {}); });
  for (const url of ["http://[", "https://user:pass@a.example/", "javascript:1"]) await attempt(`fetch ${url}`, () => fetch(url));
  await attempt("fetch Symbol", () => fetch(Symbol()));
  await attempt("fetch method", () => fetch("/", { method: "bad method" }));
  await attempt("fetch forbidden", () => fetch("/", { method: "TRACE" }));
  await attempt("fetch GET with a body", () => fetch("/", { body: "x" }));
  await attempt("fetch init 1", () => fetch("/", 1));
  await attempt("fetch init string", () => fetch("/", "x"));
  await attempt("fetch mode", () => fetch("/", { mode: "navigate" }));
  await attempt("fetch mode x", () => fetch("/", { mode: "x" }));
  await attempt("fetch init null", () => fetch("/frame.html", null));
  await attempt("fetch init function", () => fetch("/frame.html", () => 1));
  await attempt("fetch cache x", () => fetch("/frame.html", { cache: "x" }));
  found["fetch asks"] = await asksOfFetch();
  await attempt("fetch headers", () => fetch("/", { headers: { "a b": "c" } }));
  await attempt("fetch signal", () => fetch("/", { signal: AbortSignal.abort() }));
  await attempt("fetch signal reason", () => fetch("/", { signal: AbortSignal.abort(new RangeError("why")) }));
  await attempt("fetch signal bad", () => fetch("/", { signal: {} }));
  await attempt("fetch Blob aborted", () => fetch("/record/none", { method: "POST", body: new Blob(["x"]), signal: AbortSignal.abort() }));
  found["fetch aborted, beside a microtask"] = await new Promise((done) => {
    const order = [];
    const note = (name) => () => { if (order.push(name) === 2) done(order); };
    fetch("/", { signal: AbortSignal.abort() }).catch(note("fetch"));
    Promise.resolve().then(note("microtask"));
  });
  sync("new Request()", () => new Request());
  sync("Request()", () => Request());
  sync("new Request([", () => new Request("http://["));
  sync("new Request Symbol", () => new Request(Symbol()));
  sync("new Request body GET", () => new Request("/", { body: "" }));
  sync("Request used", () => { const r = new Request("/", { method: "POST", body: "x" }); new Request(r); new Request(r); });
  sync("clone used", () => { const r = new Request("/", { method: "POST", body: "x" }); new Request(r); r.clone(); });
  sync("clone wrong", () => Request.prototype.clone.call({}));
  sync("url wrong", () => Object.getOwnPropertyDescriptor(Request.prototype, "url").get.call({}));
  sync("Response url wrong", () => Object.getOwnPropertyDescriptor(Response.prototype, "url").get.call({}));
  sync("new Worker()", () => new Worker());
  sync("Worker()", () => Worker("/worker.js"));
  sync("new Worker([", () => new Worker("http://["));
  sync("new Worker foreign", () => new Worker("https://other.example/w.js"));
  sync("new Worker type", () => new Worker("/worker.js", { type: "x" }));
  sync("new EventSource()", () => new EventSource());
  sync("new EventSource([", () => new EventSource("http://["));
  sync("EventSource()", () => EventSource("/"));
  sync("XMLHttpRequest()", () => XMLHttpRequest());
  sync("send unopened", () => new XMLHttpRequest().send());
  sync("send unopened Blob", () => new XMLHttpRequest().send(new Blob(["x"])));
  sync("send twice", () => { const x = new XMLHttpRequest(); x.open("POST", "/record/none"); x.send("a"); try { x.send("b"); } finally { x.abort(); } });
  sync("send wrong", () => XMLHttpRequest.prototype.send.call({}));
  sync("open()", () => new XMLHttpRequest().open());
  sync("open(GET)", () => new XMLHttpRequest().open("GET"));
  sync("open([", () => new XMLHttpRequest().open("GET", "http://["));
  sync("open method", () => new XMLHttpRequest().open("bad method", "/"));
  sync("open wrong", () => XMLHttpRequest.prototype.open.call({}, "GET", "/"));
  sync("open Symbol", () => new XMLHttpRequest().open(Symbol(), "/"));
  sync("open Symbol URL", () => new XMLHttpRequest().open("GET", Symbol()));
  sync("header unopened", () => new XMLHttpRequest().setRequestHeader("a", "b"));
  sync("header()", () => { const x = new XMLHttpRequest(); x.open("GET", "/"); x.setRequestHeader("a"); });
  sync("header bad", () => { const x = new XMLHttpRequest(); x.open("GET", "/"); x.setRequestHeader("a b", "c"); });
  sync("upload wrong", () => Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, "upload").get.call({}));
  sync("FormData()", () => FormData());
  sync("new FormData(1)", () => new FormData(1));
  sync("new FormData(div)", () => new FormData(document.createElement("div")));
  sync("sendBeacon()", () => navigator.sendBeacon());
  sync("sendBeacon([", () => navigator.sendBeacon("http://["));
  sync("sendBeacon scheme", () => navigator.sendBeacon("ftp://a.example/"));
  sync("sendBeacon wrong", () => Navigator.prototype.sendBeacon.call({}, "/record/none"));
  sync("sendBeacon Symbol", () => navigator.sendBeacon(Symbol()));
  sync("setAttribute()", () => element.setAttribute());
  sync("setAttribute(src)", () => element.setAttribute("src"));
  sync("setAttribute bad", () => element.setAttribute("a b", "c"));
  sync("setAttribute Symbol", () => element.setAttribute("src", Symbol()));
  sync("setAttribute wrong", () => Element.prototype.setAttribute.call({}, "src", "x"));
  sync("setAttribute wrong string", () => Element.prototype.setAttribute.call("x", "src", "x"));
  sync("getAttribute()", () => element.getAttribute());
  sync("getAttribute wrong", () => Element.prototype.getAttribute.call({}, "x"));
  sync("attachShadow()", () => document.createElement("div").attachShadow());
  sync("attachShadow img", () => element.attachShadow({ mode: "open" }));
  sync("attachShadow twice", () => { const e = document.createElement("div"); e.attachShadow({ mode: "open" }); e.attachShadow({ mode: "open" }); });
  sync("src wrong", () => Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src").set.call({}, "x"));
  sync("src Symbol", () => { element.src = Symbol(); });
  sync("submit wrong", () => HTMLFormElement.prototype.submit.call({}));
  sync("toString wrong", () => Function.prototype.toString.call({}));
  sync("toString text", () => Function.prototype.toString.call("x"));
  sync("cookie wrong", () => Object.getOwnPropertyDescriptor(Document.prototype, "cookie").get.call({}));
  class Sub extends Request { more() { return this.url; } }
  class SubXHR extends XMLHttpRequest { constructor() { super(); this.mine = 1; } open(...a) { super.open(...a); } }
  class SubForm extends FormData {}
  const request = new Sub("/x");
  const xhr = new SubXHR();
  found.subclasses = [
    request instanceof Sub, request instanceof Request, request.constructor === Sub, request.more().endsWith("/x"),
    request.clone() instanceof Sub, xhr instanceof SubXHR, xhr instanceof XMLHttpRequest, xhr.mine,
    new SubForm() instanceof SubForm, Object.prototype.toString.call(request), Object.getPrototypeOf(Sub) === Request,
    new Request("/").constructor === Request, Request.prototype.constructor === Request,
    new File([], "x") instanceof Blob, Object.getPrototypeOf(File) === Blob, new File([], "x").constructor === File,
    new XMLHttpRequest().constructor === XMLHttpRequest, Reflect.construct(XMLHttpRequest, [], Array) instanceof Array,
  ];
  return found;
};

const names = (object) => Reflect.ownKeys(object).map(String).sort();
const inFor = (object) => { const keys = []; for (const key in object) keys.push(key); return keys.sort(); };

const surface = async () => {
  const pristine = frame({ src: "/never/x" }).contentWindow.Function.prototype.toString;
  const blank = frame().contentWindow;
  const dump = (world, other) => {
    const found = {};
    const all = functions(world);
    for (const name in all) {
      const descriptor = all[name];
      if (!descriptor) { found[name] = "none"; continue; }
      const { value, get, set, ...rest } = descriptor;
      found[name] = { ...rest, keys: Object.keys(descriptor) };
      if ("value" in descriptor) found[name].value = describeFunction(value, other);
      if (get) found[name].get = describeFunction(get, other);
      if (set) found[name].set = describeFunction(set, other);
    }
    return found;
  };
  const out = {
    here: dump(globalThis, pristine), blank: dump(blank, Function.prototype.toString),
    errors: await errorsOf(),
    names: {
      window: names(globalThis), windowKeys: Object.keys(globalThis).sort(), windowFor: inFor(globalThis),
      document: names(document), documentKeys: Object.keys(document), navigator: names(navigator),
      navigatorFor: inFor(navigator), location: names(location), html: names(document.documentElement),
      attributes: document.documentElement.outerHTML.length, function: names(Function.prototype),
      blankWindow: names(blank), prototypes: ["Request", "Response", "XMLHttpRequest", "FormData", "Element", "Document", "Navigator", "Worker", "EventSource"]
        .map((name) => names(globalThis[name].prototype)),
    },
  };
  return out;
};
