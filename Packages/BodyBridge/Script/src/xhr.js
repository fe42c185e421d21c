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

// What `open` was told, of those that come to the container, is in their traces.

/** What is to be sent in the body's place, what the mark says of it, and how many bytes it really is. */
const carry = (request, state, body) => {
  if (isBodyless(state.verb)) return { words: "none", body, size: 0 };
  const gone = lost(body);
  if (!gone) return { words: "plain", body };
  // As the engine would have said it.
  if (gone.kind && !state.hasType) xhrHeader(request, "Content-Type", gone.kind);
  if (!state.isAsync) {
    const bytes = bytesOf(gone);
    return bytes && { words: "plain", body: bytes };
  }
  // With a body of some kind, or there would be no upload to hear of.
  return { ...handOver(gone), body: new Uint8Array(1), size: gone.size };
};

const sendForced = (original, self, args, state) => {
  const gone = isBodyless(state.verb) ? undefined : lost(args[0]);
  // What cannot be read goes as the page gave it.
  const bytes = gone && bytesOf(gone);
  // Where it is not open, or sent already, the engine itself says so of `send`.
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
    // No two are alike: the engine would give one the answer of another, of whatever age.
    const id = newID();
    // The engine keeps no time on a custom scheme: the container does.
    const limit = xhrTimeout(self);
    state.due = limit && now() + limit;
    xhrHeader(self, config.mark, mark(
      carried.words + (xhrWithCredentials(self) ? " include" : "") + (limit ? ` ${limit}` : "") + ` ${id}`));
    state.id = id;
  } catch {
    // Not open, or sent already: the engine says so itself. What could not be read fails in the network.
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

// The engine reports no upload on a custom scheme, but its start. Its end is told when the answer begins, and on its way
// what the container has taken, which takes more when the network has.

/** Requests whose `upload` somebody has looked at. */
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

/** What the container has ended for its time the engine takes for a failure. */
const tellTimeout = (event) => {
  const target = targetOf(event);
  const due = weakGet(traces, target)?.due;
  if (!event.isTrusted || !due || now() < due) return;
  stopEvent(event);
  dispatch(target, new ProgressEvent("timeout"));
};

export const patchXHR = () => {
  const { prototype } = XMLHttpRequest;
  // The first to hear what happens: an upload has ended before a page hears of the answer.
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
    // Others are without a verb.
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
