// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Where answers come from, as pages read it. The container follows redirects itself and the engine sees none: so a request
// carries an id, by which the script asks where it was led to, once a page wants to know.

import { ask } from "./channel.js";
import { wrapAccessor } from "./disguise.js";
import { WeakMap, apply, weakGet, weakSet } from "./natives.js";
import { realURL } from "./urls.js";

/**
 * What is known of requests, answers and event sources of the page:
 * - isReal: whether the page wrote the URL as a real one, by its name
 * - id: by which the container knows the request; nothing once it was asked for
 * - moved: where the last redirect led to, or nothing
 * - stopped: where a redirect was not to be followed, the URL that was asked for
 * - held: of an answer, requests that must live as long, for their signals
 * - verb, isAsync, hasType, size, due: of an XMLHttpRequest, what it was opened with, how much it uploads, and when its
 *   time is over, in milliseconds since 1970, or nothing
 */
export const traces = new WeakMap();

export const note = (object, trace) => weakSet(traces, object, { __proto__: null, ...trace });

/** Where redirects led to, or nothing where there were none. */
export const movedTo = (trace) => {
  if (trace?.id) {
    trace.moved = ask("moved", { id: trace.id });
    trace.id = undefined;
  }
  return trace?.moved;
};

/** Has an accessor read as `change(value, trace, self)` says, by what the engine's says. */
export const wrapGetter = (prototype, key, change) => wrapAccessor(prototype, key,
  (original, self) => change(apply(original, self, []), weakGet(traces, self), self));

/** Has an accessor read as the page expects a URL. */
export const wrapURL = (prototype, key) => wrapGetter(prototype, key, (url, trace) => {
  // Empty before there is an answer.
  const shown = (url ? movedTo(trace) : trace?.stopped) ?? url;
  return trace?.isReal ? realURL(shown) : shown;
});
