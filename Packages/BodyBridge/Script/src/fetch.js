// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// fetch and Request.

/* global FORCED */

import { bytesOf, handOver, isBodyless, keepaliveLimit, lost, patchBlob } from "./bodies.js";
import { movedTo, note, traces, wrapGetter, wrapURL } from "./answers.js";
import { ask, mark, newID, nextID } from "./channel.js";
import { config } from "./config.js";
import { build, wrapConstructor, wrapMethod } from "./disguise.js";
import {
  Promise, Proxy, Request, TypeError, Uint8Array, WeakMap, apply, bytesOfRequest, credentialsOf, getter, headerOf,
  headersOf, isAborted, isObject, isRequest, keepaliveOf, matched, methodOf, modeOf, ofRequest, setHeader, then, urlOf,
  weakGet, weakSet, world,
} from "./natives.js";
import { isOurs, nameOf, resolve } from "./urls.js";

const { Response } = world;
const { error: failed } = Response;
const statusOf = getter("Response", "status");
const answeredBy = getter("Response", "url");
const redirectOf = ofRequest("redirect");

// The members of RequestInit in the order in which the engine reads them. The first is "body", because the names are
// sorted.
const members = [];
new Request("a:", new Proxy({}, { get: (init, key) => { members[members.length] = key; } }));

/** A field that every request may have (Fetch, "no-CORS-safelisted request-header"). */
const language = "Content-Language";

/**
 * Copies an init object and reads each member once, because a page can count the calls of its getters. An undefined
 * member counts as missing.
 */
const copied = (init) => {
  if (!isObject(init)) return init;
  const copy = { __proto__: null };
  for (let index = 0; index < members.length; index++) {
    const value = init[members[index]];
    if (value !== undefined) copy[members[index]] = value;
  }
  return copy;
};

/** The bodies that the engine would lose, of the requests made here; `false` for none. */
const bodies = new WeakMap();

/** The default values of members. */
const usual = { __proto__: null, method: "GET", credentials: "same-origin" };

/**
 * Returns whether a request is a plain GET without a body and with default values. The cache mode is left to the
 * engine.
 */
const isUsual = (init) => {
  // The engine refuses values that are not objects. The page can change their prototypes, so no member is compared.
  let isSo = isObject(init ?? usual);
  for (const key in init) isSo &&= key === "cache" || init[key] === usual[key];
  return isSo;
};

/**
 * Makes the request that the page intends, with the container URL if the container covers its URL. If `sendUsual` is
 * passed, a usual request is not made; `sendUsual(url, init, name)` is called instead.
 */
const make = (original, args, newTarget, sendUsual) => {
  const given = isRequest(args[0]);
  const input = given ? args[0] : `${args[0]}`;
  // A page may have defined a value for the missing element on Array.prototype.
  const init = args.length > 1 ? copied(args[1]) : undefined;
  const url = given ? undefined : resolve(input);
  const name = url && nameOf(input, url);
  if (sendUsual && !given && isUsual(init)) return sendUsual(name ?? url ?? input, init, name);
  const request = build(original, [name ?? input, init], newTarget);
  const body = (init?.body ?? null) === null
    ? given && weakGet(bodies, input)
    : lost(init.body, headerOf(headersOf(request), "Content-Type")) ?? false;
  if (body !== undefined) weakSet(bodies, request, body);
  note(request, { isReal: name || given && weakGet(traces, input)?.isReal });
  return request;
};

const getters = { __proto__: null };
for (let index = 1; index < members.length; index++) getters[members[index]] = ofRequest(members[index]);

/** Returns a copy of the request with another body, or without a body if the container has it. */
const withBody = (request, body) => {
  const init = { __proto__: null, body };
  for (const key in getters) if (getters[key]) init[key] = getters[key](request);
  return new Request(urlOf(request), init);
};

/**
 * Sends the words of a bridge header with the request or before it. A request without CORS can have only few and short
 * fields, so the field `Content-Language` carries the id of the request. Returns whether the container received the
 * words.
 */
const say = (request, words, id) => {
  const headers = headersOf(request);
  if (modeOf(request) === "no-cors") {
    return ask("next", { url: urlOf(request), "words": words, text: headerOf(headers, language) })
      && !setHeader(headers, language, id);
  }
  setHeader(headers, config.mark, mark(words));
  return true;
};

const words = (request, carried) => carried + (keepaliveOf(request) ? " keep" : "")
  + (credentialsOf(request) === "same-origin" ? "" : ` ${credentialsOf(request)}`)
  + (redirectOf(request) === "follow" ? "" : " manual");

/** Returns the response that an engine would return if it followed the redirects itself. */
const settled = (request, response, id, outgoing) => {
  const { isReal } = weakGet(traces, request);
  const redirect = redirectOf(request);
  if (redirect !== "follow" && matched(/30[12378]/, statusOf(response))) {
    if (redirect === "error") throw new TypeError("Load failed");
    // Like an opaque redirect response, except for its type and URL.
    const unread = apply(failed, Response, []);
    note(unread, { isReal, stopped: answeredBy(response) });
    return unread;
  }
  // The engine releases the signal of an unreferenced request, and with it the page's abort.
  note(response, { isReal, id, held: [request, outgoing] });
  return response;
};

const send = (original, self, request) => {
  // An aborted request fails immediately, before listeners of the page run.
  if (!isOurs(urlOf(request)) || isAborted(getters.signal(request))) return apply(original, self, [request]);
  const body = weakGet(bodies, request);
  const mayCarry = !isBodyless(methodOf(request));
  // The body of a request that another frame made is not known.
  if (!FORCED && body === undefined && mayCarry) {
    return then(bytesOfRequest(request), (buffer) => {
      const bytes = new Uint8Array(buffer);
      weakSet(bodies, request, { parts: [bytes], size: bytes.length });
      return send(original, self, request);
    }, () => { throw new TypeError(); });
  }
  if (FORCED) {
    const bytes = body && mayCarry && bytesOf(body);
    const outgoing = bytes ? withBody(request, bytes) : request;
    return then(apply(original, self, [outgoing]), (response) =>
      (note(response, { held: [request, outgoing] }), response));
  }
  const isKept = keepaliveOf(request);
  let handed;
  let outgoing = request;
  // The engine itself refuses a body that is too long for a keepalive request.
  if (body && mayCarry && !(isKept && body.size > keepaliveLimit)) {
    // A keepalive request outlives this script, which could not send the remaining pieces.
    const bytes = isKept ? bytesOf(body) : undefined;
    if (!bytes) handed = handOver(body);
    outgoing = withBody(request, bytes);
  }
  const id = newID();
  const text = `${words(request, handed?.words ?? (mayCarry ? "plain" : "none"))} ${id}`;
  // If the container did not receive the words, it refuses the original request, so that no request lacks its body.
  const isSaid = say(outgoing, text, id);
  const answer = apply(original, self, [isSaid ? outgoing : request]);
  if (isSaid) handed?.begin();
  return then(answer, (response) => settled(request, response, id, outgoing));
};

export const patchFetch = () => {
  patchBlob();
  wrapMethod(world, "fetch", (original, self, args) => {
    if (!args.length) return apply(original, self, args);
    let answer;
    // Sends the request without making a Request object, because making the object takes as long as all other work. The
    // URL is absolute, because a page may change the base URL while the engine reads the other members, and another
    // window has another base URL.
    const sendUsual = (url, init, name) => {
      if (FORCED || !isOurs(url)) return answer = apply(original, self, [url, init]);
      const id = nextID();
      answer = then(apply(original, self, [
        url, { __proto__: null, ...init, headers: { __proto__: null, [config.mark]: mark(`none ${id}`) } },
      ]), (response) => (note(response, { isReal: name, id }), response));
    };
    try {
      const request = make(Request, args, Request, (self ?? world) === world && sendUsual);
      return answer ?? send(original, self, request);
    } catch (error) {
      return new Promise((resolve, reject) => reject(error));
    }
  });
  wrapConstructor("Request", (original, args, newTarget) =>
    !args.length ? build(original, args, newTarget) : make(original, args, newTarget));
  const kinds = [Request.prototype, Response.prototype];
  for (let index = 0; index < 2; index++) {
    wrapMethod(kinds[index], "clone", (original, self, args) => {
      const clone = apply(original, self, args);
      weakSet(bodies, clone, weakGet(bodies, self));
      weakSet(traces, clone, weakGet(traces, self));
      return clone;
    });
    wrapURL(kinds[index], "url");
  }
  wrapGetter(kinds[1], "redirected", (value, trace, self) =>
    // The target is not revealed for a response that the page may not read.
    value || !!(answeredBy(self) && movedTo(trace)));
  wrapGetter(kinds[1], "type", (type, trace) => trace?.stopped ? "opaqueredirect" : type);
};
