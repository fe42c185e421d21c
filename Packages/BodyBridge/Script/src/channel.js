// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The communication of the script with the container: synchronous messages, and bridge headers on requests.
//
// A message is the text of a dialog, and the container's reply is the result of the dialog. A dialog is synchronous,
// reaches the container from every frame, is not subject to a policy of the page, and needs no name in the page's
// world. Workers have no dialogs, so they use a synchronous request.

/* global FORCED */

import { config } from "./config.js";
import {
  Request, Uint8Array, XMLHttpRequest, apply, btoa, decodeURIComponent, encodeURIComponent, fetch, fromCharCode, headersOf, isOK, location,
  parse, prompt, random, setHeader, slice, stringify, subarray, world, xhrHeader, xhrOpen, xhrSend, xhrText,
} from "./natives.js";
import { home, isOurs } from "./urls.js";

/** Returns the value of the bridge header, which describes a request to the container. */
export const mark = (words) => `${config.token} ${words}`;

const byRequest = (text) => {
  const request = new XMLHttpRequest();
  xhrOpen(request, "POST", home, false);
  xhrHeader(request, config.mark, mark("ask"));
  xhrSend(request, text);
  return xhrText(request);
};

/**
 * Returns the URL of this world, which the container needs for cookies. The container itself knows the page around it.
 */
const place = () => isOurs(location.href) ? location.href : home;

/** Returns the container's reply to a message, or undefined if there is none. */
export const ask = (name, values) => {
  // In pages of some encodings a dialog replaces a backslash by a currency sign. `replace` would use values that a page
  // can change.
  const text = encodeURIComponent(stringify({ __proto__: null, ask: name, place: place(), ...values }));
  // A sandboxed frame may have no dialogs.
  try {
    return parse(decodeURIComponent((prompt && apply(prompt, world, [mark(text)])) ?? (FORCED ? "" : byRequest(text)))).value;
  } catch {}
};

/** Returns an id that cannot be guessed: 32 digits from 106 random bits. */
export const newID = () => {
  const bytes = random(new Uint8Array(32));
  let text = "";
  for (let index = 0; index < 32; index++) text += bytes[index] % 10;
  return text;
};

let stem;
let count = 1e15;

/** Returns a unique id. Only this script uses it, with its token, so it need not be random each time. */
export const nextID = () => (stem ??= slice(newID(), 16)) + count++;

const base64 = (bytes) => {
  let text = "";
  // The number of bytes is within the maximum number of arguments of one call, and a multiple of three.
  for (let at = 0; at < bytes.length; at += 0x6000) {
    text += btoa(apply(fromCharCode, null, subarray(bytes, at, at + 0x6000)));
  }
  return text;
};

/**
 * Adds a piece of a body to the container's store, where it waits for the request with the id. Resolves when the
 * container has space for another piece.
 */
export const store = async (id, offset, bytes) => {
  try {
    const request = new Request(home, { __proto__: null, method: "POST", body: bytes });
    setHeader(headersOf(request), config.mark, mark(`store ${id} ${offset}`));
    if (!isOK(await apply(fetch, world, [request]))) throw 0;
  } catch {
    // A policy of the page (`connect-src`) may forbid requests, and a navigation may cancel them; neither affects
    // dialogs. A piece that arrives twice counts once.
    if (!ask("store", { id, offset, bytes: base64(bytes) })) throw 0;
  }
};
