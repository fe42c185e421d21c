// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Replaces functions of the engine so that a page cannot detect the replacements. Each replacement is a Proxy of the
// original function, so name, length, properties, prototype, `new`, `instanceof` and subclassing are unchanged. Only
// the result of `Function.prototype.toString` differs, so `toString` is also replaced.

import {
  Proxy, WeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, weakGet, weakSet, world,
} from "./natives.js";

const originals = new WeakMap();

/** Returns a proxy of a function with a trap of a name, and optional further traps. */
const stand = (original, trap, call, more) => {
  // A page may define traps on Object.prototype, so handlers have no prototype.
  const proxy = new Proxy(original, { __proto__: null, [trap]: call, ...more });
  weakSet(originals, proxy, original);
  return proxy;
};

/**
 * Changes a property on the object that owns it, which is often a prototype in a worker's world. `edit` returns whether
 * it made a change.
 */
const change = (object, key, edit) => {
  let descriptor;
  while (object && !(descriptor = getOwnPropertyDescriptor(object, key))) object = getPrototypeOf(object);
  // The value that another script has set may not be a function.
  try { if (descriptor?.configurable && edit(descriptor)) defineProperty(object, key, descriptor); } catch {}
};

/** Replaces a method by `call(original, self, args)`. */
export const wrapMethod = (object, key, call) => change(object, key, (descriptor) =>
  descriptor.value = stand(descriptor.value, "apply", call));

/** Replaces an accessor by `get(original, self)` and `set(original, self, args)`. */
export const wrapAccessor = (object, key, get, set) => change(object, key, (descriptor) => {
  if (set) descriptor.set = stand(descriptor.set, "apply", set);
  return descriptor.get = stand(descriptor.get, "apply", get);
});

/** Replaces a constructor by `make(original, args, newTarget)`, with optional further traps in `more`. */
export const wrapConstructor = (name, make, more) => change(world, name, (descriptor) => {
  const original = descriptor.value;
  const value = stand(original, "construct", (target, args, newTarget) =>
    make(target, args, newTarget === value ? target : newTarget), more);
  change(original.prototype, "constructor", (own) => own.value === original && (own.value = value));
  return descriptor.value = value;
});

/** Calls the original constructor. */
export const build = construct;

export const disguise = () => {
  wrapMethod(Function.prototype, "toString", (original, self, args) =>
    apply(original, typeof self === "function" ? weakGet(originals, self) ?? self : self, args));
};
