// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Puts functions in the place of the engine's so that a page cannot tell: each is a Proxy of the function that it stands
// for, which keeps name, length, properties, prototype, `new`, `instanceof` and subclassing as they were. What is left,
// the text of the function, comes from `Function.prototype.toString`, which is one of them.

import {
  Proxy, WeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, weakGet, weakSet,
} from "./natives.js";

const originals = new WeakMap();

const stand = (original, handler) => {
  // A page may give all objects traps.
  const proxy = new Proxy(original, { __proto__: null, ...handler });
  weakSet(originals, proxy, original);
  return proxy;
};

/** Whose own property it is: in a worker's world many are a prototype's. */
const ownerOf = (object, key) => {
  while (object && !getOwnPropertyDescriptor(object, key)) object = getPrototypeOf(object);
  return object;
};

/** Puts `call(original, self, args)` in the place of a method. */
export const wrapMethod = (of, key, call) => {
  const object = ownerOf(of, key);
  const descriptor = object && getOwnPropertyDescriptor(object, key);
  if (typeof descriptor?.value !== "function") return;
  const value = stand(descriptor.value, { apply: call });
  defineProperty(object, key, { ...descriptor, value });
};

/** Puts `get(original, self)` and `set(original, self, value)` in the place of an accessor's. */
export const wrapAccessor = (of, key, { get, set }) => {
  const object = ownerOf(of, key);
  const descriptor = object && getOwnPropertyDescriptor(object, key);
  if (!descriptor?.configurable || !descriptor.get || weakGet(originals, descriptor.get)) return;
  const next = { ...descriptor };
  if (get) next.get = stand(descriptor.get, { apply: (original, self) => get(original, self) });
  if (set && descriptor.set) {
    next.set = stand(descriptor.set, { apply: (original, self, args) => set(original, self, args[0], args) });
  }
  defineProperty(object, key, next);
};

/** Puts `make(original, args, newTarget)` in the place of what a constructor does. */
export const wrapConstructor = (name, make) => {
  const descriptor = getOwnPropertyDescriptor(globalThis, name);
  if (typeof descriptor?.value !== "function") return;
  const original = descriptor.value;
  const value = stand(original, {
    construct: (target, args, newTarget) => make(target, args, newTarget === value ? target : newTarget),
  });
  defineProperty(globalThis, name, { ...descriptor, value });
  const own = getOwnPropertyDescriptor(original.prototype, "constructor");
  if (own?.value === original) defineProperty(original.prototype, "constructor", { ...own, value });
};

/** What the constructor does by itself. */
export const build = construct;

export const disguise = () => {
  wrapMethod(Function.prototype, "toString", (original, self, args) =>
    apply(original, typeof self === "function" ? weakGet(originals, self) ?? self : self, args));
};
