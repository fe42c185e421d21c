// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// fetch and Request.

import { handOver, lost } from "./bodies.js";
import { ask, mark } from "./channel.js";
import { config } from "./config.js";
import { build, wrapAccessor, wrapConstructor, wrapMethod } from "./disguise.js";
import {
  Request, TypeError, Uint8Array, WeakMap, apply, bytesOfRequest, credentialsOf, headerOf, headersOf, isRequest,
  keepaliveOf, methodOf, modeOf, ofRequest, reject, setHeader, then, urlOf, weakGet, weakSet,
} from "./natives.js";
import { isOurs, nameOf, realURL } from "./urls.js";

// The members of RequestInit, in the order in which the engine reads them (Web IDL: dictionaries, by name).
const members = ("body cache credentials duplex headers integrity keepalive method mode priority redirect referrer "
  + "referrerPolicy signal targetAddressSpace window").split(" ");

/** In bytes (Fetch, "HTTP-network-or-cache fetch"). */
const keepaliveLimit = 64 << 10;

/** Each member read once: a page can tell how often its getters run. */
const copied = (init) => {
  if (typeof init !== "object" && typeof init !== "function" || init === null) return init;
  const copy = { __proto__: null };
  for (let index = 0; index < members.length; index++) {
    const value = init[members[index]];
    if (value !== undefined) copy[members[index]] = value;
  }
  return copy;
};

/** What the engine would lose of the bodies of requests that were made here, or `false`. */
const bodies = new WeakMap();
/** Requests and answers whose URL the page wrote as a real one, by its name. */
const writtenAsReal = new WeakMap();

/** Makes a request as the page means it, under the container's name where the container covers it. */
const make = (original, args, newTarget) => {
  const given = isRequest(args[0]);
  const input = given ? args[0] : `${args[0]}`;
  const init = copied(args[1]);
  const name = given ? undefined : nameOf(input);
  const request = build(original, args.length < 2 ? [name ?? input] : [name ?? input, init], newTarget);
  const body = init?.body === undefined || init.body === null
    ? given && weakGet(bodies, input)
    : lost(init.body, headerOf(headersOf(request), "Content-Type")) ?? false;
  if (body !== undefined) weakSet(bodies, request, body);
  if (name || given && weakGet(writtenAsReal, input)) weakSet(writtenAsReal, request, true);
  return request;
};

const getters = { __proto__: null };
for (let index = 1; index < members.length; index++) getters[members[index]] = ofRequest(members[index]);

/** The same request without its body, which the container has. */
const withoutBody = (request) => {
  const init = { __proto__: null };
  for (const key in getters) if (getters[key]) init[key] = getters[key](request);
  return new Request(urlOf(request), init);
};

/** Says the words of a mark, with the request or ahead of it: of a request without CORS no field can be set.
 * Returns whether it was heard. */
const say = (request, words) => modeOf(request) === "no-cors"
  ? ask("next", { url: urlOf(request), words })
  : (setHeader(headersOf(request), config.mark, mark(words)), true);

const words = (request, carried) => {
  const kept = keepaliveOf(request) ? " keep" : "";
  const sent = credentialsOf(request) === "same-origin" ? "" : ` ${credentialsOf(request)}`;
  return carried || kept || sent ? (carried || "none") + kept + sent : undefined;
};

const send = (original, self, request) => {
  if (!isOurs(urlOf(request))) return apply(original, self, [request]);
  const method = methodOf(request);
  const body = weakGet(bodies, request);
  const mayCarry = method !== "GET" && method !== "HEAD";
  // Of a request that another frame has made nobody knows the body.
  if (body === undefined && mayCarry) {
    return then(bytesOfRequest(request), (buffer) => {
      const bytes = new Uint8Array(buffer);
      weakSet(bodies, request, { parts: [bytes], length: bytes.length });
      return send(original, self, request);
    }, () => { throw new TypeError(); });
  }
  // The engine itself refuses what is too long for a request that outlives its page.
  const isTooLong = body && keepaliveOf(request) && body.length > keepaliveLimit;
  const handed = body && mayCarry && !isTooLong ? handOver(body) : undefined;
  const outgoing = handed ? withoutBody(request) : request;
  const text = words(request, handed?.words ?? (mayCarry ? "plain" : undefined));
  // What nobody was told of fails, rather than goes without its body.
  const isSaid = !text || say(outgoing, text);
  const answer = apply(original, self, [isSaid ? outgoing : request]);
  if (isSaid) handed?.begin();
  if (!weakGet(writtenAsReal, request)) return answer;
  return then(answer, (response) => (weakSet(writtenAsReal, response, true), response));
};

export const patchFetch = () => {
  wrapMethod(globalThis, "fetch", (original, self, args) => {
    if (args.length === 0) return apply(original, self, args);
    let request;
    try {
      request = make(Request, args, Request);
    } catch (error) {
      return reject(error);
    }
    return send(original, self, request);
  });
  wrapConstructor("Request", (original, args, newTarget) =>
    args.length === 0 ? build(original, args, newTarget) : make(original, args, newTarget));
  const kinds = [Request.prototype, globalThis.Response.prototype];
  for (let index = 0; index < 2; index++) {
    wrapMethod(kinds[index], "clone", (original, self, args) => {
      const clone = apply(original, self, args);
      const body = weakGet(bodies, self);
      if (body !== undefined) weakSet(bodies, clone, body);
      if (weakGet(writtenAsReal, self)) weakSet(writtenAsReal, clone, true);
      return clone;
    });
    wrapAccessor(kinds[index], "url", {
      get: (original, self) => {
        const url = apply(original, self, []);
        return weakGet(writtenAsReal, self) ? realURL(url) : url;
      },
    });
  }
};
