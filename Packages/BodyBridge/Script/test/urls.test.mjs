// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import assert from "node:assert/strict";
import test from "node:test";
import "./world.mjs";

const asked = [];
globalThis.prompt = (text) => {
  const [token, question] = [text.slice(0, 32), JSON.parse(decodeURIComponent(text.slice(33)))];
  asked.push(question);
  return token === "t".repeat(32) ? JSON.stringify({ value: question.url.includes("covered") }) : null;
};
const { isOurs, nameOf, realURL, resolve } = await import("../src/urls.js");

test("a covered URL gets its container URL and is requested once", () => {
  assert.equal(nameOf("https://covered.example/a?b#c"), "app://covered.example/a?b#c");
  assert.equal(nameOf("HTTP://covered.example"), "app-http://covered.example/");
  assert.equal(nameOf("https://covered.example/a?b#c"), "app://covered.example/a?b#c");
  assert.equal(asked.length, 2);
  assert.deepEqual(asked[0].place, "app://shop.example/a/page");
});

test("an alias counts as https", () => {
  assert.equal(nameOf("page://covered.example/a?b#c"), "app://covered.example/a?b#c");
  assert.equal(nameOf("ASSETS://covered.example/x"), "app://covered.example/x");
  for (const url of ["pages://covered.example/", "page:covered", "assets://other.example/x"]) assert.equal(nameOf(url), undefined, url);
});

test("other URLs and invalid URLs have no container URL", () => {
  for (const url of ["https://other.example/", "app://covered.example/", "relative", "data:,covered", "https://[", "", null, undefined]) {
    assert.equal(nameOf(url), undefined, `${url}`);
  }
});

test("container URLs and real URLs", () => {
  assert.equal(realURL("app://a.example/x"), "https://a.example/x");
  assert.equal(realURL("app-http://a.example/x"), "http://a.example/x");
  assert.equal(realURL("application://a"), "application://a");
  assert.equal(isOurs("app-http://a/"), true);
  assert.equal(isOurs("apple://a/"), false);
  assert.equal(isOurs(undefined), false);
  assert.equal(resolve("../x"), "app://shop.example/x");
});
