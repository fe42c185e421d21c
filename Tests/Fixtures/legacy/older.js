// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The protocol of legacy pages: pass a body to the app, wait for its callback, and send the real request with the id
// in the URL.

const waiting = new Map();
globalThis.shop_realxhr_callback = (id) => waiting.get(id)?.();
let lastID = 0;
const newID = () => `id/${++lastID}&${location.host}`;

const handOver = (message) => new Promise((done, fail) => {
  waiting.set(message.requestId, done);
  webkit.messageHandlers.XHRCALL.postMessage(message).catch(fail);
});
const withID = (url, id) => `${url}?a=1&shop-wkwebview-request-id=${encodeURIComponent(id)}&b=%2F+`;

const realXHR = (url, isAsync = true, method = "POST") => new Promise((done) => {
  const request = new XMLHttpRequest();
  request.open(method, url, isAsync);
  request.onload = () => done(request.responseText);
  request.onerror = () => done("failed");
  try { request.send(); } catch (error) { done(error.name); }
});

const send = async (name, message, method) => {
  const requestId = newID();
  await handOver({ requestId, ...message });
  return realXHR(withID(`/record/${name}`, requestId), true, method);
};
const refused = (message) => webkit.messageHandlers.XHRCALL.postMessage({ requestId: newID(), ...message })
  .then(() => "taken", (error) => error.name);

const frame = async (url) => {
  const element = document.createElement("iframe");
  const result = new Promise((done) => { onmessage = (event) => done(event.data); });
  element.src = url;
  document.body.append(element);
  return result;
};

/** In a frame: uses a body of the parent page, and its own body. */
globalThis.runFrame = async (id) => ({
  stolen: await realXHR(withID("https://shop.example/record/stolen", id)),
  blind: await fetch(withID("https://shop.example/record/stolen", id), { method: "POST", mode: "no-cors" })
    .then((answer) => answer.type, (error) => error.name),
  own: await send("frame", { body: "of the frame" }),
});

const cookie = async (values) => {
  const message = { name: "n", value: "v", domain: location.hostname, path: "/", originurl: location.href, ...values };
  return webkit.messageHandlers.COOKIECALL.postMessage(message).then(String, (error) => error.name);
};

const cases = {
  text: () => send("text", { body: "é €\u{1F600}\ud800\\ \"¥\u2028" }),
  object: () => send("object", { body: { z: 1, a: [1.50, "\\¥"], 5: null } }),
  array: () => send("array", { body: [1, 2] }),
  binary: () => {
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
    return send("binary", { body: btoa(all), bodyEncoding: "base64" });
  },
  large: () => send("large", { body: "x".repeat(8 << 20) }),
  empty: () => send("empty", { body: "" }),
  headers: () => send("headers", {
    body: "<a/>", headers: { "X-Own": "1", "content-type": "application/xml", Cookie: "forged=1", Host: "other.example" },
  }),
  get: () => send("get", { body: null, headers: { "X-Own": "2" } }, "GET"),
  async fetch() {
    const id = await webkit.messageHandlers.XHRCALL.postMessage({ requestId: newID(), body: "by fetch" });
    return (await fetch(withID("/record/fetch", id), { method: "PUT" })).text();
  },
  /** A call without a callback. */
  sync() {
    const requestId = newID();
    webkit.messageHandlers.XHRCALL.postMessage({ requestId, body: { sync: true } });
    return realXHR(withID("/record/sync", requestId), false);
  },
  async twice() {
    const requestId = newID();
    await handOver({ requestId, body: "once" });
    const url = withID("/record/twice", requestId);
    return [await realXHR(url), await realXHR(url)].join();
  },
  unknown: () => realXHR(withID("/record/unknown", "nobody's")),
  unknownGET: () => realXHR(withID("/record/unknownGET", "nobody's"), true, "GET"),
  refusals: async () => [
    await refused({ body: new Map() }), await refused({ body: new Uint8Array(1) }),
    await refused({ body: new Blob(["x"]) }),
    await refused({ body: "%", bodyEncoding: "base64" }), await refused({ body: "", bodyEncoding: "gzip" }),
    await refused({ body: "", requestId: {} }), await refused({ body: "", headers: { "a b": "" } }),
    await refused({ body: "", headers: { a: "b\r\nc: d" } }),
  ].join(),
  number: () => send("number", { body: 1.5 }),
  none: () => send("none", {}),
  url64: () => send("url64", { body: "AP8", bodyEncoding: "Base64", headers: [] }),
  /** The handler with its prefix, and the id with its older name in the message and in the URL. */
  async otherNames() {
    const id = newID();
    const message = { "wkwebview-request-id": id, body: "by another name", headers: { "X-Own": 3 } };
    await webkit.messageHandlers.YXXHRCALL.postMessage(message);
    return realXHR(`/record/otherNames?a=1&wkwebview-request-id=${encodeURIComponent(id)}&b=%2F+`);
  },
  cookie: async () => {
    const taken = [
      await cookie({}), await cookie({ name: "m", value: "w", maximumage: "600", secure: "1" }),
      await cookie({ name: "k", value: 1, maximumage: 600, secure: true, expires: null }),
      await cookie({ domain: "other.example" }), await cookie({ originurl: "https://other.example/" }),
    ].join();
    const seen = document.cookie.split("; ").sort().join();
    const told = window.original_cookie === document.cookie;
    return [taken, seen, told, await cookie({ name: "m", maximumage: "0" }), await cookie({ name: "k", maximumage: 0 }),
      document.cookie].join(" | ");
  },
  async foreignFrame() {
    const requestId = newID();
    await handOver({ requestId, body: "of the page" });
    const result = await frame(`https://other.example/frame#${encodeURIComponent(requestId)}`);
    return [result.stolen, result.blind, result.own, await realXHR(withID("/record/afterFrame", requestId))].join();
  },
  surface: () => [
    cookiesAtStart, typeof webkit.messageHandlers.XHRCALL.postMessage,
    /[0-9a-f]{32}/.test(webkit.messageHandlers.XHRCALL.postMessage.toString()),
  ].join(),
};

globalThis.runOlder = async () => {
  const results = {};
  for (const [name, run] of Object.entries(cases)) {
    const limit = new Promise((done) => setTimeout(done, 8000, "no end"));
    results[name] = await Promise.race([run(), limit]).catch((error) => `${error}`);
  }
  return results;
};
