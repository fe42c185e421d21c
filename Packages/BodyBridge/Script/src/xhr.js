// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// XMLHttpRequest.

/* global FORCED */

import { bytesOf, handOver, isBodyless, lost, sizeOf } from "./bodies.js";
import { note, traces, wrapGetter, wrapURL } from "./answers.js";
import { mark, newID } from "./channel.js";
import { config } from "./config.js";
import { forgetCookies } from "./cookies.js";
import { build, wrapConstructor, wrapMethod } from "./disguise.js";
import {
  ProgressEvent, Uint8Array, WeakMap, XMLHttpRequest, addListener, apply, dispatch, now, readTexts, stopEvent, targetOf, upperCase,
  weakGet, weakSet, xhrHeader, xhrState, xhrTimeout, xhrUpload, xhrWithCredentials,
} from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

// The traces hold the arguments of `open` for requests that reach the container.

/** Returns the replacement of the body, the words for the bridge header, and the real number of bytes. */
const carry = (request, state, body) => {
  if (isBodyless(state.verb)) return { words: "none", body, size: 0 };
  const gone = lost(body);
  if (!gone) return { words: "plain", body };
  // Sets the type that the engine would set.
  if (gone.kind && !state.hasType) xhrHeader(request, "Content-Type", gone.kind);
  if (!state.isAsync) {
    const bytes = bytesOf(gone);
    return bytes && { words: "plain", body: bytes };
  }
  // The request has a short body, because a request without a body has no upload events.
  return { ...handOver(gone), body: new Uint8Array(1), size: gone.size };
};

const sendForced = (original, self, args, state) => {
  const gone = isBodyless(state.verb) ? undefined : lost(args[0]);
  // A body that cannot be read is sent unchanged.
  const bytes = gone && bytesOf(gone);
  // If the request is not open or already sent, the engine's `send` throws.
  try { if (bytes && gone.kind && !state.hasType) xhrHeader(self, "Content-Type", gone.kind); } catch {}
  return apply(original, self, [bytes ?? args[0]]);
};

const send = (original, self, args) => {
  const state = weakGet(traces, self);
  if (!state?.verb) return apply(original, self, args);
  if (FORCED) return sendForced(original, self, args, state);
  let carried;
  try {
    carried = carry(self, state, args[0]);
    // The URLs must differ, because the engine would reuse any earlier response to an equal request.
    const id = newID();
    // The engine has no timeout on a custom scheme, so the container enforces it.
    const limit = xhrTimeout(self);
    state.due = limit && now() + limit;
    xhrHeader(self, config.mark, mark(
      carried.words + (xhrWithCredentials(self) ? " include" : "") + (limit ? ` ${limit}` : "") + ` ${id}`));
    state.id = id;
  } catch {
    // If the request is not open or already sent, the engine's `send` throws. A body that could not be read fails in
    // the network.
    return apply(original, self, args);
  }
  let result;
  try {
    result = apply(original, self, [carried.body]);
  } finally {
    if (!state.isAsync) forgetCookies();
  }
  if (state.isAsync && weakGet(uploads, self)) state.size = carried.size ?? sizeOf(args[0]);
  carried.begin?.((loaded) => {
    const total = state.size;
    if (loaded < total && weakGet(traces, self) === state && xhrState(self) === 1) tell(self, "progress", loaded, total);
  });
  return result;
};

// On a custom scheme the engine reports only the start of an upload. The script reports the end of the upload when the
// response begins. As progress it reports the number of bytes that the container has accepted, which follows the
// network by back-pressure.

/** The requests whose `upload` was read. */
const uploads = new WeakMap();

const tell = (request, type, loaded, total = loaded) =>
  dispatch(xhrUpload(request), new ProgressEvent(type, { lengthComputable: true, loaded, total }));

const endUpload = (event) => {
  const target = targetOf(event);
  const state = weakGet(traces, target);
  if (!state?.size || xhrState(target) !== 2) return;
  const total = state.size;
  state.size = undefined;
  tell(target, "progress", total);
  tell(target, "load", total);
  tell(target, "loadend", total);
};

/** Reports a timeout that the container enforced, because the engine reports it as an error. */
const tellTimeout = (event) => {
  const target = targetOf(event);
  const due = weakGet(traces, target)?.due;
  if (!event.isTrusted || !due || now() < due) return;
  stopEvent(event);
  dispatch(target, new ProgressEvent("timeout"));
};

export const patchXHR = () => {
  const { prototype } = XMLHttpRequest;
  // These listeners run first, so that an upload ends before a page receives the response.
  wrapConstructor("XMLHttpRequest", (original, args, newTarget) => {
    const request = build(original, args, newTarget);
    addListener(request, "readystatechange", endUpload);
    addListener(request, "error", tellTimeout);
    return request;
  });
  wrapGetter(prototype, "upload", (upload, trace, self) => (weakSet(uploads, self, true), upload));
  wrapMethod(prototype, "open", (original, self, args) => {
    readTexts(args, 2);
    const name = args.length > 1 && nameOf(args[1]);
    const url = name || resolve(args[1]);
    if (name) args[1] = name;
    const result = apply(original, self, args);
    // The state of a request that does not reach the container has no verb.
    note(self, isOurs(url) &&
      { verb: upperCase(args[0]), isAsync: args.length < 3 || !!args[2], isReal: name });
    return result;
  });
  wrapMethod(prototype, "setRequestHeader", (original, self, args) => {
    readTexts(args, 2);
    const result = apply(original, self, args);
    const state = weakGet(traces, self);
    if (state && upperCase(args[0]) === "CONTENT-TYPE") state.hasType = true;
    return result;
  });
  wrapMethod(prototype, "send", send);
  wrapURL(prototype, "responseURL");
};
