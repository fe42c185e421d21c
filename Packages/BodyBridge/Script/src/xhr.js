// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// XMLHttpRequest.

import { bytesOf, handOver, lost } from "./bodies.js";
import { mark } from "./channel.js";
import { config } from "./config.js";
import { wrapAccessor, wrapMethod } from "./disguise.js";
import {
  WeakMap, XMLHttpRequest, apply, upperCase, weakGet, weakSet, xhrHeader, xhrWithCredentials,
} from "./natives.js";
import { isOurs, nameOf, realURL, resolve } from "./urls.js";

/** What `open` was told, of those that come to the container. */
const opened = new WeakMap();

/** What is to be sent in the body's place, and what the mark says of it. */
const carry = (request, state, body) => {
  if (state.method === "GET" || state.method === "HEAD") return { words: "none", body };
  const gone = body === undefined || body === null ? undefined : lost(body);
  if (!gone) return { words: "plain", body };
  // As the engine would have said it.
  if (gone.type && !state.hasType) xhrHeader(request, "Content-Type", gone.type);
  return state.isAsync ? { ...handOver(gone), body: null } : { words: "plain", body: bytesOf(gone) };
};

const send = (original, self, args) => {
  const state = weakGet(opened, self);
  if (!state) return apply(original, self, args);
  let carried;
  try {
    carried = carry(self, state, args[0]);
    const words = carried.words + (xhrWithCredentials(self) ? " include" : "");
    if (words !== "none") xhrHeader(self, config.mark, mark(words));
  } catch {
    // Not open, or sent already: the engine says so itself. A Blob that cannot be read fails in the network.
    return apply(original, self, args);
  }
  const result = apply(original, self, [carried.body]);
  carried.begin?.();
  return result;
};

export const patchXHR = () => {
  const { prototype } = XMLHttpRequest;
  wrapMethod(prototype, "open", (original, self, args) => {
    const name = args.length > 1 ? nameOf(args[1]) : undefined;
    const next = [];
    for (let index = 0; index < args.length; index++) next[index] = index === 1 && name ? name : args[index];
    const result = apply(original, self, next);
    const url = name ?? resolve(args[1]);
    weakSet(opened, self, isOurs(url)
      ? { method: upperCase(`${args[0]}`), isAsync: args.length < 3 || !!args[2], hasType: false, isReal: !!name }
      : undefined);
    return result;
  });
  wrapMethod(prototype, "setRequestHeader", (original, self, args) => {
    const result = apply(original, self, args);
    const state = weakGet(opened, self);
    if (state && upperCase(`${args[0]}`) === "CONTENT-TYPE") state.hasType = true;
    return result;
  });
  wrapMethod(prototype, "send", send);
  wrapAccessor(prototype, "responseURL", {
    get: (original, self) => {
      const url = apply(original, self, []);
      return weakGet(opened, self)?.isReal ? realURL(url) : url;
    },
  });
};
