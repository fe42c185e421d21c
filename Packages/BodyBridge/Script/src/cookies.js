// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// document.cookie for engines without cookies: it reads the container's jar. A new cookie is visible immediately.

/* global FORCED */

import { ask } from "./channel.js";
import { wrapAccessor } from "./disguise.js";
import { apply, attempt, document, location, prototype, startsWith, world } from "./natives.js";
import { home, isOurs } from "./urls.js";

/**
 * The cookie string, which stays valid until the running script ends, because only the script itself can change it
 * meanwhile.
 */
let known;

const forgetSoon = async () => {
  await 0;
  known = undefined;
};

/** A synchronous request ends while the script runs, and may have set cookies. */
export const forgetCookies = () => { known = undefined; };

const isOpaque = home === "blob:";
const frameOf = world.__lookupGetter__("frameElement");

export const patchCookies = () => {
  // A document without its own URL cannot prove its site, so the same-origin document around it reads the cookies. A
  // document of a Blob has no cookies.
  const around = FORCED || isOurs(location.href) || startsWith(location.href, "blob:") ? 0 : attempt(() => apply(frameOf, world, []).ownerDocument);
  wrapAccessor(prototype("Document"), "cookie", (original, self) => {
    if (around && self === document) return around.cookie;
    // Documents without a view have no cookies. The engine throws for other receivers and for documents of an opaque
    // origin. If the engine has cookies, the document keeps them, because the engine sends them with its requests.
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
