// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/* global FORCED */

// URLs of the page, of the container's schemes, and of the hosts that it covers.

import { ask } from "./channel.js";
import { config } from "./config.js";
import { URL, attempt, baseURI, hrefOf, origin, slice, startsWith } from "./natives.js";

const { https, http } = config.schemes;

/** The absolute form of a URL as the page means it, or nothing where it is none. */
export const resolve = (url) => attempt(() => hrefOf(new URL(url, baseURI())));

/** A URL with another scheme, where it has the one that is named. */
const exchanged = (url, from, to) => startsWith(url, `${from}://`) ? to + slice(url, from.length) : undefined;

const named = (url) => exchanged(url, "https", https) ?? exchanged(url, "http", http);

/** The real URL behind a name of the container's. */
export const realURL = (name) => exchanged(name, https, "https") ?? exchanged(name, http, "http") ?? name;

/** Whether a request to there comes to the container. */
export const isOurs = (url) => url !== undefined && (FORCED ? !!named(url) : realURL(url) !== url);

/** Where pieces and questions go: nowhere, from an origin that is none. A page can change `origin`, and what relative
 * URLs lead to. */
export const home = isOurs(`${origin}/`) ? `${origin}/` : "blob:";

/** What was asked for before is not asked again, for 500 URLs. */
const answers = { __proto__: null };
let count = 0;

/** The name of a real URL that the container covers, or nothing: what has no name goes to the network. */
export const nameOf = (url, absolute = resolve(url)) => {
  const name = !FORCED && absolute && named(absolute);
  if (!name) return undefined;
  let isCovered = answers[absolute];
  if (isCovered === undefined) {
    isCovered = ask("covers", { url: absolute }) === true;
    if (count++ < 500) answers[absolute] = isCovered;
  }
  return isCovered ? name : undefined;
};
