// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import assert from "node:assert/strict";
import test from "node:test";
import "./world.mjs";

const jar = [];
globalThis.Document = class {
  get cookie() { return jar.join("; "); }
  set cookie(text) { jar.push(text); }
};
globalThis.document = new globalThis.Document();
Object.assign(globalThis.CONTAINERKIT, {
  callback: "x_realxhr_callback", bodyHandler: "XHRCALL", cookieHandler: "COOKIECALL", prefetchHandler: "PREFETCHCALL",
});
const said = [];
let answer = { value: "1" };
globalThis.prompt = (text) => {
  said.push(text);
  const given = Array.isArray(answer) ? answer.shift() : answer;
  return given === null ? null : JSON.stringify(given);
};
await import("../src/legacy.js");
const { XHRCALL, COOKIECALL, PREFETCHCALL } = globalThis.webkit.messageHandlers;
const start = `${"t".repeat(32)} body app://shop.example/a/page `;

test("a body is sent synchronously with the URL of the page, and the callback is called later", async () => {
  const called = new Promise((done) => { globalThis.x_realxhr_callback = done; });
  const reply = XHRCALL.postMessage({ requestId: "1", body: "\u00a5\ud800", headers: { a: "b" }, other: 1 });
  assert.equal(said.pop(), `${start}{"requestId":"1","body":"\\u00a5\ufffd","headers":{"a":"b"}}`);
  assert.equal(await reply, "1");
  assert.equal(await called, "1");
});

test("objects are sent as JSON; a value that JSON would lose or that the app refuses is rejected", async () => {
  await XHRCALL.postMessage({ requestId: "1", body: { b: [1], a: null } });
  assert.equal(said.pop(), `${start}{"requestId":"1","body":{"b":[1],"a":null}}`);
  for (const body of [new Blob(["x"]), new Uint8Array(1), new Map(), 1, true, undefined, () => {}, Symbol("x")]) {
    await assert.rejects(XHRCALL.postMessage({ requestId: "1", body }), TypeError);
  }
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "", headers: new Map() }), TypeError);
  for (const message of [undefined, null, 1, "x"]) await assert.rejects(XHRCALL.postMessage(message), TypeError);
  const circle = {};
  circle.body = circle;
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: circle }), TypeError);
  assert.deepEqual(said, []);
  answer = { error: "too large" };
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "" }), { name: "TypeError", message: "too large" });
  answer = null;
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "" }), TypeError);
});

test("a cookie is assigned as the app replies, and original_cookie is updated", async () => {
  answer = { value: "n=v; Path=/" };
  assert.equal(globalThis.original_cookie, "");
  // A setter that an older page installs.
  Object.defineProperty(globalThis.document, "cookie", { set: (text) => COOKIECALL.postMessage({ text }) });
  assert.equal(await COOKIECALL.postMessage({ name: "n" }), true);
  assert.ok(said.pop().endsWith(' cookie app://shop.example/a/page {"name":"n"}'));
  assert.deepEqual(jar, ["n=v; Path=/"]);
  assert.equal(globalThis.original_cookie, "n=v; Path=/");
  answer = { error: "no" };
  await assert.rejects(COOKIECALL.postMessage({}), TypeError);
  await assert.rejects(COOKIECALL.postMessage(), TypeError);
  assert.equal(jar.length, 1);
});

test("a prefetched response is polled until it is available", async () => {
  said.length = 0;
  const reply = { status: 200, headers: {}, body: "x" };
  answer = [{ value: "t1" }, { value: "" }, { value: "" }, { value: JSON.stringify(reply) }];
  const message = { url: "https://shop.example/a", method: "POST", body: { a: 1 }, other: 1 };
  assert.deepEqual(await PREFETCHCALL.postMessage(message), reply);
  const asked = 'prefetch app://shop.example/a/page {"url":"https://shop.example/a","method":"POST","body":{"a":1}}';
  assert.ok(said[0].endsWith(asked));
  assert.equal(said.length, 4);
  assert.ok(said.slice(1).every((text) => text.endsWith(' prefetched app://shop.example/a/page "t1"')));
  answer = [{ value: "t2" }, { value: "null" }];
  assert.equal(await PREFETCHCALL.postMessage({ url: "https://shop.example/a" }), null);
  answer = [{ value: "t3" }, { value: "" }, { error: "gone" }];
  await assert.rejects(PREFETCHCALL.postMessage({}), { name: "TypeError", message: "gone" });
  answer = { error: "not a URL" };
  await assert.rejects(PREFETCHCALL.postMessage(), { name: "TypeError", message: "not a URL" });
});
