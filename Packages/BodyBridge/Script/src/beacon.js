// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// navigator.sendBeacon. The engine sends beacons over http and https only.

/* global FORCED */

import { bytesOf, keepaliveLimit, lost, sizeOf } from "./bodies.js";
import { mark } from "./channel.js";
import { config } from "./config.js";
import { wrapMethod } from "./disguise.js";
import { Request, apply, fetch, headersOf, navigator, prototype, readTexts, setHeader, then, world } from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

/** The bytes of all beacons in progress (Fetch, "inflight keepalive bytes"). */
let underWay = 0;

const send = (url, data) => {
  const gone = lost(data);
  const length = gone?.size ?? sizeOf(data);
  if (length + underWay > keepaliveLimit) return false;
  const body = gone ? bytesOf(gone) : data;
  // While a page is closing, the script can read only short Blobs that were made from a string.
  if (gone && !body) return false;
  // The request uses CORS, because a request without CORS cannot have the header field. The response is not read.
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
    // The engine handles URLs that the container does not cover, and receivers that are not a Navigator.
    if (FORCED || !args.length || !isOurs(url) || self !== navigator) return apply(original, self, args);
    return send(url, args[1]);
  });
};
