// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Workers: user scripts do not reach them, so the container leads to a worker's script by way of this one.

import { ask } from "./channel.js";
import { config } from "./config.js";
import { build, wrapAccessor, wrapConstructor } from "./disguise.js";
import { apply, slice } from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

export const patchWorkers = () => {
  wrapConstructor("Worker", (original, args, newTarget) => {
    if (args.length === 0) return build(original, args, newTarget);
    const text = `${args[0]}`;
    const name = nameOf(text);
    const url = name ?? resolve(text);
    const { credentials, name: title = "", type } = args[1] ?? {};
    const options = { __proto__: null, name: title };
    if (credentials !== undefined) options.credentials = credentials;
    if (type !== undefined) options.type = type;
    if (isOurs(url) && ask("worker", { url, isModule: type === "module" })) options.name = config.token + title;
    return build(original, [name ?? text, options], newTarget);
  });
};

/** In a worker: takes the token out of its name. */
export const receiveToken = () => {
  const full = globalThis.name;
  const name = slice(full, config.tokenLength);
  config.token = slice(full, 0, config.tokenLength);
  wrapAccessor(globalThis, "name", { get: (original, self) => (apply(original, self, []), name) });
};
