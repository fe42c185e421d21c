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

// The members of RequestInit, in the order in which the engine reads them: "body" first, as their names are sorted.
const members = [];
new Request("a:", new Proxy({}, { get: (init, key) => { members[members.length] = key; } }));

/** A field that any request may have (Fetch, "no-CORS-safelisted request-header"). */
const language = "Content-Language";

/** Each member read once: a page can tell how often its getters run. What is undefined is as if it were not there. */
const copied = (init) => {
  if (!isObject(init)) return init;
  const copy = { __proto__: null };
  for (let index = 0; index < members.length; index++) {
    const value = init[members[index]];
    if (value !== undefined) copy[members[index]] = value;
  }
  return copy;
};

/** What the engine would lose of the bodies of requests that were made here, or `false`. */
const bodies = new WeakMap();

/** Members that say what a request has without them. */
const usual = { __proto__: null, method: "GET", credentials: "same-origin" };

/** Whether a request is as most are: a GET with nothing to hand over. How it is cached is the engine's to read. */
const isUsual = (init) => {
  // The engine refuses the others, whose prototype is the page's.
  let isSo = isObject(init ?? usual);
  for (const key in init) isSo &&= key === "cache" || init[key] === usual[key];
  return isSo;
};

/** Makes a request as the page means it, under the container's name where the container covers it. One that is as most
 * are is not made: `sendUsual(url, init, name)` has it, where there is such. */
const make = (original, args, newTarget, sendUsual) => {
  const given = isRequest(args[0]);
  const input = given ? args[0] : `${args[0]}`;
  // A page may have put something behind the end of all arrays.
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

/** The same request with another body, or none where the container has it. */
const withBody = (request, body) => {
  const init = { __proto__: null, body };
  for (const key in getters) if (getters[key]) init[key] = getters[key](request);
  return new Request(urlOf(request), init);
};

/** Says the words of a mark, with the request or ahead of it: without CORS few fields can be set, none of them long, so
 * one of these says which request it is. Returns whether it was heard. */
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

/** The answer as an engine gives it that knows redirects. */
const settled = (request, response, id, outgoing) => {
  const { isReal } = weakGet(traces, request);
  const redirect = redirectOf(request);
  if (redirect !== "follow" && matched(/30[12378]/, statusOf(response))) {
    if (redirect === "error") throw new TypeError("Load failed");
    // As that of a redirect, but for its type and URL.
    const unread = apply(failed, Response, []);
    note(unread, { isReal, stopped: answeredBy(response) });
    return unread;
  }
  // The engine forgets the signal of a request that nobody holds, and the page's abort with it.
  note(response, { isReal, id, held: [request, outgoing] });
  return response;
};

const send = (original, self, request) => {
  // Of a request that is given up already a page hears at once: nothing comes before its own listeners.
  if (!isOurs(urlOf(request)) || isAborted(getters.signal(request))) return apply(original, self, [request]);
  const body = weakGet(bodies, request);
  const mayCarry = !isBodyless(methodOf(request));
  // Of a request that another frame has made nobody knows the body.
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
  // The engine itself refuses what is too long for a request that outlives its page.
  if (body && mayCarry && !(isKept && body.size > keepaliveLimit)) {
    // Nobody is left to feed what outlives its page.
    const bytes = isKept ? bytesOf(body) : undefined;
    if (!bytes) handed = handOver(body);
    outgoing = withBody(request, bytes);
  }
  const id = newID();
  const text = `${words(request, handed?.words ?? (mayCarry ? "plain" : "none"))} ${id}`;
  // What nobody was told of fails, rather than goes without its body.
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
    // Without a request of the script's own, which takes as long as all the rest. The URL is whole: a page may change
    // what a relative one leads to while the engine reads the rest, and another window's base is another.
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
    // Of an answer that the page may not read nothing is told.
    value || !!(answeredBy(self) && movedTo(trace)));
  wrapGetter(kinds[1], "type", (type, trace) => trace?.stopped ? "opaqueredirect" : type);
};
