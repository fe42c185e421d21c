// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// document.cookie, where the engine has none: what the container's jar says. What is set is seen at once.

/* global FORCED */

import { ask } from "./channel.js";
import { wrapAccessor } from "./disguise.js";
import { apply, attempt, document, location, prototype, startsWith, world } from "./natives.js";
import { home, isOurs } from "./urls.js";

/** Nothing else can change what a script reads while it runs, but for itself: so the answer holds until it ends. */
let known;

const forgetSoon = async () => {
  await 0;
  known = undefined;
};

/** A synchronous request ends in the same run of a script, and may have brought cookies. */
export const forgetCookies = () => { known = undefined; };

const isOpaque = home === "blob:";
const frameOf = world.__lookupGetter__("frameElement");

export const patchCookies = () => {
  // A document without a URL of its own cannot prove its site: the one around it, of the same origin, asks for it. That of
  // a Blob has no cookies.
  const around = FORCED || isOurs(location.href) || startsWith(location.href, "blob:") ? 0 : attempt(() => apply(frameOf, world, []).ownerDocument);
  wrapAccessor(prototype("Document"), "cookie", (original, self) => {
    if (around && self === document) return around.cookie;
    // Documents without a view have no cookies; other receivers are the engine's to refuse, and so are documents of an
    // opaque origin. Where it has cookies, its own are the page's: they go with its requests.
    if (FORCED || self !== document || isOpaque) return apply(original, self, []);
    if (known === undefined) {
      known = ask("cookies") ?? "";
      forgetSoon();
    }
    return known;
  }, (original, self, args) => {
    if (around && self === document) return around.cookie = args[0];
    if (FORCED || self !== document || isOpaque) return apply(original, self, args);
    const text = `${args[0]}`;
    known = undefined;
    ask("setCookie", { text });
    return undefined;
  });
};
