// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import assert from "node:assert/strict";
import test from "node:test";
import "./world.mjs";

const { build, disguise, wrapAccessor, wrapConstructor, wrapMethod } = await import("../src/disguise.js");

test("a page cannot detect a replaced function", () => {
  disguise();
  const before = Object.getOwnPropertyDescriptor(Map.prototype, "get");
  const text = Function.prototype.toString.call(before.value);
  wrapMethod(Map.prototype, "get", (original, self, args) => Reflect.apply(original, self, args));
  const after = Object.getOwnPropertyDescriptor(Map.prototype, "get");
  assert.notEqual(after.value, before.value);
  assert.deepEqual({ ...after, value: 0 }, { ...before, value: 0 });
  assert.equal(after.value.name, "get");
  assert.equal(after.value.length, 1);
  assert.equal(`${after.value}`, text);
  assert.equal(Function.prototype.toString.call(after.value), text);
  assert.match(`${Function.prototype.toString}`, /^function toString\(\) \{\s*\[native code\]\s*\}$/);
  assert.equal("prototype" in after.value, false);
  assert.throws(() => new after.value(), TypeError);
  assert.throws(() => after.value.call({}), TypeError);
  assert.throws(() => Function.prototype.toString.call({}), TypeError);
  assert.throws(() => Function.prototype.toString.call("text"), TypeError);
});

test("constructors keep their prototype, instances and subclasses", () => {
  const Original = globalThis.Blob;
  let made = 0;
  wrapConstructor("Blob", (original, args, newTarget) => (made++, build(original, args, newTarget)));
  assert.notEqual(Blob, Original);
  assert.equal(Blob.prototype, Original.prototype);
  assert.equal(Blob.prototype.constructor, Blob);
  assert.equal(`${Blob}`, `${Original}`);
  assert.ok(new Blob(["x"]) instanceof Original);
  class Own extends Blob { own() { return this.size; } }
  assert.equal(new Own(["abc"]).own(), 3);
  assert.equal(made, 2);
  assert.throws(() => Blob(), TypeError);
});

test("a constructor inherits from the replacement of its parent", () => {
  const inherited = globalThis.Blob;
  const { File: Original } = globalThis;
  wrapConstructor("File", build, { getPrototypeOf: () => inherited });
  assert.equal(Object.getPrototypeOf(File), inherited);
  assert.ok(inherited.isPrototypeOf(File) && new File(["x"], "y") instanceof Original);
  assert.equal(new File(["x"], "y").constructor, File);
});

test("an accessor keeps the functions that are not replaced", () => {
  class Thing { get value() { return 1; } set value(next) { this.taken = next; } }
  wrapAccessor(Thing.prototype, "value", (original, self) => Reflect.apply(original, self, []) + 1);
  const thing = new Thing();
  thing.value = 5;
  assert.equal(thing.value, 2);
  assert.equal(thing.taken, 5);
  wrapAccessor(Thing.prototype, "missing", () => 1);
  assert.equal("missing" in Thing.prototype, false);
});
