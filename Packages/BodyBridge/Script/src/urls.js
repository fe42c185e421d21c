// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/* global FORCED */

// Conversions between real URLs and container URLs, and the decision which URLs the container covers.

import { ask } from "./channel.js";
import { config } from "./config.js";
import { URL, attempt, baseURI, hrefOf, origin, slice, startsWith } from "./natives.js";

const { schemes } = config;
const { https, http } = schemes;

/** Returns the absolute URL that the page means, or undefined if the text is not a URL. */
export const resolve = (url) => attempt(() => hrefOf(new URL(url, baseURI())));

/** Returns a URL with the scheme `to` if its scheme is `from`, otherwise undefined. */
const exchanged = (url, from, to) => startsWith(url, `${from}://`) ? to + slice(url, from.length) : undefined;

/** Returns the real URL of a container URL. */
export const realURL = (name) => exchanged(name, https, "https") ?? exchanged(name, http, "http") ?? name;

/** Returns whether requests for a URL reach the container. */
export const isOurs = (url) => url !== undefined && (FORCED ? startsWith(url, "https://") || startsWith(url, "http://") : realURL(url) !== url);

/**
 * The URL for pieces and messages; no usable URL for an opaque origin. It is saved here, because a page can change
 * `origin` and the base of relative URLs.
 */
export const home = isOurs(`${origin}/`) ? `${origin}/` : "blob:";

/** The container's replies for up to 500 URLs, which are requested once. */
const answers = { __proto__: null };
let count = 0;

/**
 * Returns the container URL of a real URL or an alias that the container covers. Returns undefined for a URL that goes
 * to the network, and for an alias that is not covered.
 */
export const nameOf = (url, absolute = resolve(url)) => {
  if (FORCED || !absolute) return undefined;
  let name;
  for (const scheme in schemes) name ??= exchanged(absolute, scheme, schemes[scheme]);
  if (!name) return undefined;
  let isCovered = answers[absolute];
  if (isCovered === undefined) {
    isCovered = ask("covers", { url: absolute }) === true;
    if (count++ < 500) answers[absolute] = isCovered;
  }
  return isCovered ? name : undefined;
};
