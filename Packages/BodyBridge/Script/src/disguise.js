// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Puts functions in the place of the engine's so that a page cannot tell: each is a Proxy of the function that it stands
// for, which keeps name, length, properties, prototype, `new`, `instanceof` and subclassing as they were. What is left,
// the text of the function, comes from `Function.prototype.toString`, which is one of them.

import {
  Proxy, WeakMap, apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, weakGet, weakSet, world,
} from "./natives.js";

const originals = new WeakMap();

/** Stands for a function, with a trap by its name, and more of them. */
const stand = (original, trap, call, more) => {
  // A page may give all objects traps: handlers have no prototype.
  const proxy = new Proxy(original, { __proto__: null, [trap]: call, ...more });
  weakSet(originals, proxy, original);
  return proxy;
};

/** Changes a property where it lies: in a worker's world many are a prototype's. `edit` says whether it did. */
const change = (object, key, edit) => {
  let descriptor;
  while (object && !(descriptor = getOwnPropertyDescriptor(object, key))) object = getPrototypeOf(object);
  // What another script has put there may be no function.
  try { if (descriptor?.configurable && edit(descriptor)) defineProperty(object, key, descriptor); } catch {}
};

/** Puts `call(original, self, args)` in the place of a method. */
export const wrapMethod = (object, key, call) => change(object, key, (descriptor) =>
  descriptor.value = stand(descriptor.value, "apply", call));

/** Puts `get(original, self)` and `set(original, self, args)` in the place of an accessor's. */
export const wrapAccessor = (object, key, get, set) => change(object, key, (descriptor) => {
  if (set) descriptor.set = stand(descriptor.set, "apply", set);
  return descriptor.get = stand(descriptor.get, "apply", get);
});

/** Puts `make(original, args, newTarget)` in the place of what a constructor does; `more` traps are for the rest. */
export const wrapConstructor = (name, make, more) => change(world, name, (descriptor) => {
  const original = descriptor.value;
  const value = stand(original, "construct", (target, args, newTarget) =>
    make(target, args, newTarget === value ? target : newTarget), more);
  change(original.prototype, "constructor", (own) => own.value === original && (own.value = value));
  return descriptor.value = value;
});

/** What the constructor does by itself. */
export const build = construct;

export const disguise = () => {
  wrapMethod(Function.prototype, "toString", (original, self, args) =>
    apply(original, typeof self === "function" ? weakGet(originals, self) ?? self : self, args));
};
