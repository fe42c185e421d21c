// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// How the script talks with the container: a question that is answered at once, and marks on requests.
//
// The question goes as the text of a dialog, which the container answers instead of a person: it is synchronous, reaches
// it from every frame, is under no policy of the page, and leaves no name in the page's world. Workers have no dialogs:
// there a synchronous request asks.

/* global FORCED */

import { config } from "./config.js";
import {
  Request, Uint8Array, XMLHttpRequest, apply, btoa, decodeURIComponent, encodeURIComponent, fetch, fromCharCode, headersOf, isOK, location,
  parse, prompt, random, setHeader, slice, stringify, subarray, world, xhrHeader, xhrOpen, xhrSend, xhrText,
} from "./natives.js";
import { home, isOurs } from "./urls.js";

/** The value of the header field that tells the container what a request is for. */
export const mark = (words) => `${config.token} ${words}`;

const byRequest = (text) => {
  const request = new XMLHttpRequest();
  xhrOpen(request, "POST", home, false);
  xhrHeader(request, config.mark, mark("ask"));
  xhrSend(request, text);
  return xhrText(request);
};

/** Where this world is, as the container has to know it for cookies; the page around it the container knows itself. */
const place = () => isOurs(location.href) ? location.href : home;

/** The container's answer to a question, or nothing where there is none. */
export const ask = (name, values) => {
  // In pages of some encodings a dialog shows a backslash as a sign of money. `replace` would ask what a page can change.
  const text = encodeURIComponent(stringify({ __proto__: null, ask: name, place: place(), ...values }));
  // A sandboxed frame may have no dialogs.
  try {
    return parse(decodeURIComponent((prompt && apply(prompt, world, [mark(text)])) ?? (FORCED ? "" : byRequest(text)))).value;
  } catch {}
};

/** An id that nobody can guess: 32 digits, of 106 random bits. */
export const newID = () => {
  const bytes = random(new Uint8Array(32));
  let text = "";
  for (let index = 0; index < 32; index++) text += bytes[index] % 10;
  return text;
};

let stem;
let count = 1e15;

/** An id that nobody else has: what only this script asks of, by its token, need not be drawn each time. */
export const nextID = () => (stem ??= slice(newID(), 16)) + count++;

const base64 = (bytes) => {
  let text = "";
  // As many as a call takes, and a multiple of three.
  for (let at = 0; at < bytes.length; at += 0x6000) {
    text += btoa(apply(fromCharCode, null, subarray(bytes, at, at + 0x6000)));
  }
  return text;
};

/**
 * Puts a piece of a body into the container's store, where it waits for the request that carries the id. Resolves when
 * the container has room for more.
 */
export const store = async (id, offset, bytes) => {
  try {
    const request = new Request(home, { __proto__: null, method: "POST", body: bytes });
    setHeader(headersOf(request), config.mark, mark(`store ${id} ${offset}`));
    if (!isOK(await apply(fetch, world, [request]))) throw 0;
  } catch {
    // A policy of the page may forbid requests (`connect-src`), and a navigation may stop them: dialogs are under none.
    // What came twice counts once.
    if (!ask("store", { id, offset, bytes: base64(bytes) })) throw 0;
  }
};
