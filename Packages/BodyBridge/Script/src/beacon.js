// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// navigator.sendBeacon: the engine sends beacons over http and https alone.

/* global FORCED */

import { bytesOf, keepaliveLimit, lost, sizeOf } from "./bodies.js";
import { mark } from "./channel.js";
import { config } from "./config.js";
import { wrapMethod } from "./disguise.js";
import { Request, apply, fetch, headersOf, navigator, prototype, readTexts, setHeader, then, world } from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

/** In bytes, of all beacons (Fetch, "inflight keepalive bytes"). */
let underWay = 0;

const send = (url, data) => {
  const gone = lost(data);
  const length = gone?.size ?? sizeOf(data);
  if (length + underWay > keepaliveLimit) return false;
  const body = gone ? bytesOf(gone) : data;
  // While a page goes nothing else can be read.
  if (gone && !body) return false;
  // With CORS: no field can be set on a request without. The answer is nobody's anyway.
  const request = new Request(url, { __proto__: null, method: "POST", body, credentials: "include", keepalive: true });
  if (gone?.kind) setHeader(headersOf(request), "Content-Type", gone.kind);
  setHeader(headersOf(request), config.mark, mark("plain keep include"));
  underWay += length;
  const ended = () => { underWay -= length; };
  then(apply(fetch, world, [request]), ended, ended);
  return true;
};

export const patchBeacon = () => {
  wrapMethod(prototype("Navigator"), "sendBeacon", (original, self, args) => {
    readTexts(args, 1);
    const url = nameOf(args[0]) ?? resolve(args[0]);
    // Where it is not the container's, and where the receiver is not a Navigator, the engine knows what to do.
    if (FORCED || !args.length || !isOurs(url) || self !== navigator) return apply(original, self, args);
    return send(url, args[1]);
  });
};
