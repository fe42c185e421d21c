// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// navigator.sendBeacon: the engine sends beacons over http and https alone.

import { bytesOf, lost, sizeOf } from "./bodies.js";
import { mark } from "./channel.js";
import { config } from "./config.js";
import { wrapMethod } from "./disguise.js";
import { Request, apply, fetch, headersOf, navigator, setHeader, then } from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

/** In bytes, of all beacons that are under way (Beacon, section 3.1; Fetch, "inflight keepalive bytes"). */
const limit = 64 << 10;
let underWay = 0;

const send = (url, data) => {
  const gone = lost(data);
  const length = gone?.length ?? sizeOf(data);
  if (length + underWay > limit) return false;
  const body = gone ? bytesOf(gone) : data;
  // While a page goes nothing else can be read.
  if (gone && !body) return false;
  // With CORS: no field can be set on a request without. The answer is nobody's anyway.
  const request = new Request(url, { __proto__: null, method: "POST", body, credentials: "include", keepalive: true });
  if (gone?.type) setHeader(headersOf(request), "Content-Type", gone.type);
  setHeader(headersOf(request), config.mark, mark("plain keep include"));
  underWay += length;
  const ended = () => { underWay -= length; };
  then(apply(fetch, globalThis, [request]), ended, ended);
  return true;
};

export const patchBeacon = () => {
  wrapMethod(globalThis.Navigator?.prototype, "sendBeacon", (original, self, args) => {
    const url = nameOf(args[0]) ?? resolve(args[0]);
    // Where it is not the container's, and where the receiver is not a Navigator, the engine knows what to do.
    if (args.length === 0 || !isOurs(url) || self !== navigator) return apply(original, self, args);
    return send(url, args[1]);
  });
};
