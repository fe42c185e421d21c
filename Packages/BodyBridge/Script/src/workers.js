// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Workers. User scripts do not run in workers, so the container runs the worker script (worker.js) before a worker's
// own script. The container recognizes the request by an id in the fragment of its URL, which no other request has. A
// fragment is neither sent nor part of a cache key.

/* global FORCED */

import { ask, newID } from "./channel.js";
import { config } from "./config.js";
import { build, wrapAccessor, wrapConstructor, wrapMethod } from "./disguise.js";
import { apply, matched, replace, slice } from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

export const patchWorkers = () => {
  wrapConstructor("Worker", (original, args, newTarget) => {
    if (!args.length) return build(original, args, newTarget);
    const text = `${args[0]}`;
    const name = nameOf(text);
    const url = name ?? resolve(text);
    // Each member is read once, in the engine's order.
    const { credentials, name: title, type } = args[1] ?? {};
    const options = { __proto__: null, credentials, name: title, type };
    if (FORCED || !isOurs(url)) return build(original, [name ?? text, options], newTarget);
    const base = matched(/^[^#]*/, url)[0];
    const led = `${base}#${newID()}`;
    const isLed = ask("worker", { url: led, isModule: type === "module" });
    return build(original, [isLed ? led + slice(url, base.length) : url, options], newTarget);
  });
};

/** Makes the location of a worker return its URL as the page wrote it. */
export const patchLocation = () => {
  const get = (original, self) => replace(apply(original, self, []), `#${config.id}`, "");
  const { prototype } = WorkerLocation;
  wrapAccessor(prototype, "href", get);
  wrapAccessor(prototype, "hash", get);
  wrapMethod(prototype, "toString", get);
};
