// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What older pages speak to: `webkit.messageHandlers.XHRCALL`, `COOKIECALL` and `PREFETCHCALL`, and
// `window.original_cookie`. A script of its own, injected only where the app has switched these messages on. Its handlers are functions of the page's world and
// not the engine's: so the container learns which frame speaks, has a body before the request after it, a synchronous one
// too, and the callback is called in the frame that asked for it.

import { config } from "./config.js";

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { parse, stringify } = JSON;
const { Promise, TypeError, document, location, origin, prompt, setTimeout } = globalThis;
const { reject, resolve } = Promise;
const { replaceAll, startsWith, toWellFormed } = String.prototype;
const { toString } = Object.prototype;
const cookie = getOwnPropertyDescriptor(globalThis.Document.prototype, "cookie");

/**
 * The container's answer to a message.
 *
 * In pages of some Japanese charsets a dialog shows a yen sign for each backslash: the container reads one as the other,
 * so those of the message are escaped.
 */
const ask = (word, message) => {
  const { href } = location;
  // A frame without a URL of its own has the origin of the page that made it; one that is sandboxed has none.
  const url = apply(startsWith, href, [`${origin}/`]) ? href : `${origin}/`;
  const text = apply(replaceAll, stringify(message), ["\u00a5", "\\u00a5"]);
  const answer = parse(apply(prompt, globalThis, [`${config.token} ${word} ${url} ${text}`]));
  if (answer?.value === undefined) throw new TypeError(answer?.error ?? "the app does not answer");
  return answer.value;
};

/** Whether JSON keeps all of an object: of a Blob or of bytes it would leave nothing, without a word. */
const isPlain = (value) => {
  const kind = typeof value === "object" && apply(toString, value, []);
  return kind === "[object Object]" || kind === "[object Array]";
};

const postBody = (message) => {
  const { requestId, bodyEncoding, headers } = message ?? {};
  let body = message?.body;
  if (typeof body === "string") body = apply(toWellFormed, body, []);
  else if (body !== null && !isPlain(body)) throw new TypeError("body is neither a string nor a plain object");
  if (headers !== undefined && headers !== null && !isPlain(headers)) throw new TypeError("headers is no plain object");
  ask("body", { __proto__: null, requestId, body, bodyEncoding, headers });
  // Not before `postMessage` has returned.
  apply(setTimeout, globalThis, [() => {
    const callback = globalThis[config.callback];
    if (typeof callback === "function") apply(callback, globalThis, [requestId]);
  }]);
  return requestId;
};

/** A document of an opaque origin has no cookies, and says so by an error. */
const tellCookies = () => {
  try { globalThis.original_cookie = apply(cookie.get, document, []); } catch { /* there are none */ }
};

const postCookie = (message) => {
  // What older pages put in the place of `document.cookie` calls this.
  apply(cookie.set, document, [ask("cookie", message)]);
  tellCookies();
  return true;
};

/**
 * The answer to a request that the app has made ahead, or null. The app says at once that it looks, and is asked again
 * until it has found it: a dialog waits for nobody.
 */
const postPrefetch = (message) => {
  const { url, method, body } = message ?? {};
  const ticket = ask("prefetch", { __proto__: null, url, method, body });
  let pause = 4;
  return new Promise((done, failed) => {
    const look = () => {
      try {
        const text = ask("prefetched", ticket);
        if (text) return done(parse(text));
        // A page that waits long need not know to the millisecond.
        if (pause < 32) pause += 1;
        apply(setTimeout, globalThis, [look, pause]);
      } catch (error) {
        failed(error);
      }
    };
    look();
  });
};

const handler = (post) => ({
  postMessage: (message) => {
    try {
      return apply(resolve, Promise, [post(message)]);
    } catch (error) {
      return apply(reject, Promise, [error]);
    }
  },
});

const handlers = globalThis.webkit?.messageHandlers ?? {};
const add = (name, post) => {
  defineProperty(handlers, name, { __proto__: null, value: handler(post), configurable: true, enumerable: true });
};
add(config.bodyHandler, postBody);
add(config.cookieHandler, postCookie);
add(config.prefetchHandler, postPrefetch);
if (!globalThis.webkit) {
  // As the engine's own.
  defineProperty(globalThis, "webkit", { __proto__: null, value: { messageHandlers: handlers }, enumerable: true });
}
// The engine's object is kept by nobody else, and would lose what was added to it.
config.kept = handlers;
tellCookies();
