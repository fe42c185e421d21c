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
  callback: "x_realxhr_callback", idMembers: ["wkwebview-request-id", "x-wkwebview-request-id"],
  bodyHandlers: ["XHRCALL", "YXXHRCALL"], cookieHandlers: ["COOKIECALL", "YXCOOKIECALL"],
  prefetchHandlers: ["PREFETCHCALL", "YXPREFETCHCALL"],
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
  for (const body of [new Blob(["x"]), new Uint8Array(1), new Map(), () => {}, Symbol("x"), 1n]) {
    await assert.rejects(XHRCALL.postMessage({ requestId: "1", body }), TypeError);
  }
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "", headers: new Map() }), TypeError);
  answer = { error: "missing requestId" };
  for (const message of [undefined, null, 1, "x"]) await assert.rejects(XHRCALL.postMessage(message), TypeError);
  said.length = 0;
  const circle = {};
  circle.body = circle;
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: circle }), TypeError);
  assert.deepEqual(said, []);
  answer = { error: "too large" };
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "" }), { name: "TypeError", message: "too large" });
  answer = null;
  await assert.rejects(XHRCALL.postMessage({ requestId: "1", body: "" }), TypeError);
});

test("a number, a Boolean and no body are sent, and the id may be a number or have its older names", async () => {
  answer = { value: "1" };
  for (const [body, text] of [[1.5, ',"body":1.5'], [true, ',"body":true'], [null, ',"body":null'], [undefined, ""]]) {
    assert.equal(await XHRCALL.postMessage({ requestId: 1, body }), 1);
    assert.equal(said.pop(), `${start}{"requestId":1${text}}`);
  }
  for (const name of ["wkwebview-request-id", "x-wkwebview-request-id"]) {
    // The callbacks of earlier messages may still follow.
    const called = new Promise((done) => { globalThis.x_realxhr_callback = (id) => id === 7 && done(id); });
    assert.equal(await XHRCALL.postMessage({ [name]: 7, body: "" }), 7);
    assert.equal(said.pop(), `${start}{"requestId":7,"body":""}`);
    assert.equal(await called, 7);
    await XHRCALL.postMessage({ requestId: "a", [name]: 7 });
    assert.equal(said.pop(), `${start}{"requestId":"a"}`);
  }
});

test("the handlers also have their names with a prefix", async () => {
  const { YXXHRCALL, YXCOOKIECALL, YXPREFETCHCALL } = globalThis.webkit.messageHandlers;
  assert.equal(await YXXHRCALL.postMessage({ requestId: "2", body: "" }), "2");
  assert.equal(said.pop(), `${start}{"requestId":"2","body":""}`);
  assert.equal(typeof YXCOOKIECALL.postMessage, "function");
  assert.equal(typeof YXPREFETCHCALL.postMessage, "function");
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
