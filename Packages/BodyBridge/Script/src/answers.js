// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The final URLs of responses, as pages read them. The container follows redirects itself, so the engine does not see
// them. Each request carries an id, with which the script requests the final URL when the page reads it.

import { ask } from "./channel.js";
import { wrapAccessor } from "./disguise.js";
import { WeakMap, apply, weakGet, weakSet } from "./natives.js";
import { realURL } from "./urls.js";

/**
 * The state of requests, responses and event sources of the page:
 * - isReal: whether the page wrote a real URL
 * - id: the id by which the container knows the request; undefined once the final URL was requested
 * - moved: the target of the last redirect, or undefined
 * - stopped: the requested URL, if a redirect was not followed
 * - held: for a response, requests that must stay alive with it because of their signals
 * - verb, isAsync, hasType, size, due: for an XMLHttpRequest, the method, whether it is asynchronous, whether it has a
 *   `Content-Type`, the upload size, and the time limit as milliseconds since 1970, or undefined
 */
export const traces = new WeakMap();

export const note = (object, trace) => weakSet(traces, object, { __proto__: null, ...trace });

/** Returns the target of the last redirect, or undefined. */
export const movedTo = (trace) => {
  if (trace?.id) {
    trace.moved = ask("moved", { id: trace.id });
    trace.id = undefined;
  }
  return trace?.moved;
};

/** Replaces a getter by one that returns `change(value, trace, self)` for the engine's value. */
export const wrapGetter = (prototype, key, change) => wrapAccessor(prototype, key,
  (original, self) => change(apply(original, self, []), weakGet(traces, self), self));

/** Replaces a getter of a URL by one that returns the URL as the page expects it. */
export const wrapURL = (prototype, key) => wrapGetter(prototype, key, (url, trace) => {
  // The URL is empty before there is a response.
  const shown = (url ? movedTo(trace) : trace?.stopped) ?? url;
  return trace?.isReal ? realURL(shown) : shown;
});
