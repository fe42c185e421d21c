// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The functions for older pages: `webkit.messageHandlers.XHRCALL`, `COOKIECALL` and `PREFETCHCALL`, and
// `window.original_cookie`. This is a separate script, injected only if the app enables these messages.
//
// Its handlers are functions of the page's world, not of the engine. So the container knows the sending frame, it has a
// body before the following request, even a synchronous one, and the callback is called in the frame that sent the
// message.

import { config } from "./config.js";

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { parse, stringify } = JSON;
const { Promise, TypeError, document, location, origin, prompt, setTimeout } = globalThis;
const { reject, resolve } = Promise;
const { replaceAll, startsWith, toWellFormed } = String.prototype;
const { toString } = Object.prototype;
const cookie = getOwnPropertyDescriptor(globalThis.Document.prototype, "cookie");

/**
 * Returns the container's reply to a message.
 *
 * In pages of some Japanese charsets a dialog shows a yen sign for each backslash. The container converts yen signs to
 * backslashes, so the yen signs of the message are escaped.
 */
const ask = (word, message) => {
  const { href } = location;
  // A frame without its own URL has the origin of the page that made it; a sandboxed frame has none.
  const url = apply(startsWith, href, [`${origin}/`]) ? href : `${origin}/`;
  const text = apply(replaceAll, stringify(message), ["\u00a5", "\\u00a5"]);
  const answer = parse(apply(prompt, globalThis, [`${config.token} ${word} ${url} ${text}`]));
  if (answer?.value === undefined) throw new TypeError(answer?.error ?? "the app does not answer");
  return answer.value;
};

/** Returns whether JSON may lose a value silently. */
const isObject = (value) =>
  value !== null && (typeof value === "object" || typeof value === "function" || typeof value === "symbol");

/** Returns whether JSON keeps all of an object. A Blob or bytes would be lost silently. */
const isPlain = (value) => {
  const kind = typeof value === "object" && apply(toString, value, []);
  return kind === "[object Object]" || kind === "[object Array]";
};

/** Returns the page's id of a request, as it is: the page may compare it with the id that the callback gets. */
const idOf = (message) => message.requestId ?? message[config.idMembers[0]] ?? message[config.idMembers[1]];

const postBody = (message) => {
  const { bodyEncoding, headers } = message ?? {};
  const requestId = idOf(message ?? {});
  let body = message?.body;
  if (typeof body === "string") body = apply(toWellFormed, body, []);
  else if (isObject(body) && !isPlain(body)) throw new TypeError("body is neither text nor a plain object");
  if (isObject(headers) && !isPlain(headers)) throw new TypeError("headers is no plain object");
  ask("body", { __proto__: null, requestId, body, bodyEncoding, headers });
  // The callback is called only after `postMessage` has returned.
  apply(setTimeout, globalThis, [() => {
    const callback = globalThis[config.callback];
    if (typeof callback === "function") apply(callback, globalThis, [requestId]);
  }]);
  return requestId;
};

/** Sets `original_cookie`. A document of an opaque origin has no cookies, and its getter throws. */
const tellCookies = () => {
  try { globalThis.original_cookie = apply(cookie.get, document, []); } catch { /* the document has no cookies */ }
};

const postCookie = (message) => {
  // This calls the replacement of `document.cookie` that older pages install.
  apply(cookie.set, document, [ask("cookie", message)]);
  tellCookies();
  return true;
};

/**
 * Returns the prefetched response to a request, or null. The app starts a lookup and returns a ticket, with which the
 * script polls for the result, because a dialog cannot wait.
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
        // A longer wait needs no exact timing.
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
const add = (names, post) => {
  for (let place = 0; place < names.length; place += 1) {
    const value = handler(post);
    defineProperty(handlers, names[place], { __proto__: null, value, configurable: true, enumerable: true });
  }
};
add(config.bodyHandlers, postBody);
add(config.cookieHandlers, postCookie);
add(config.prefetchHandlers, postPrefetch);
if (!globalThis.webkit) {
  // The object is defined like the engine's own object.
  defineProperty(globalThis, "webkit", { __proto__: null, value: { messageHandlers: handlers }, enumerable: true });
}
// The engine does not retain its object, which would lose the added handlers.
config.kept = handlers;
tellCookies();
