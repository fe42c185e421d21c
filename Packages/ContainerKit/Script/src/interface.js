// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The interface of a page to its container: see PageInterfaceScript.swift, which calls the function with its values.
// docs/containerkit.d.ts declares the members. The script runs before all scripts of the page, and keeps the functions
// of the engine that carry the token, so that the page cannot replace them.

/* global VALUES */
(function main({ name, token, places, handler }) {
  const { apply, ownKeys } = Reflect;
  const { defineProperty, freeze, entries } = Object;
  const target = self.webkit?.messageHandlers?.[handler];
  const place = location.protocol + "//" + location.host;
  // The origin of a sandboxed document is opaque. A name of the engine or of another script stays.
  if (!target || self.origin === "null" || name in self || !places.some((text) => new RegExp(text).test(place))) return;

  const { postMessage } = target;
  const { random } = Math;
  const newDocument = () => `${random()}`.slice(2);
  let document = newDocument();
  // The message is text. An engine would call `toJSON` of the page for an object.
  const call = (kind, text = "") => apply(postMessage, target, [`${token} ${document} ${kind} ${text}`]);

  const listeners = { __proto__: null, update: new Set(), activated: new Set(), network: new Set() };
  let isWaiting;
  // Waits for notifications, until the container says that there are no more.
  const wait = async () => {
    if (isWaiting) return;
    isWaiting = true;
    try {
      for (let next; (next = await call("next")); ) {
        for (const [type, detail] of entries(next)) {
          for (const listener of [...listeners[type]]) {
            try {
              listener(freeze(detail));
            } catch (error) {
              reportError(error);
            }
          }
        }
      }
    } catch {}
    isWaiting = false;
  };

  const page = {
    __proto__: null,
    package: () => call("package"),
    ready: async () => void (await call("ready")),
    failed: async (reason) => void (await call("failed", `${reason}`.slice(0, 256).replace(/\p{C}/gu, " "))),
    reload: () => call("reload"),
    network: () => call("network"),
    addEventListener: (type, listener) => {
      if (typeof listener !== "function" || !listeners[type]) return;
      listeners[type].add(listener);
      wait();
    },
    removeEventListener: (type, listener) => void listeners[type]?.delete(listener),
  };
  for (const key of ownKeys(page)) freeze(page[key]);
  defineProperty(self, name, { value: freeze(page), enumerable: true });

  // The container binds each document to the generations that it began with. A document that returns from the history
  // is another document for the container.
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !event.isTrusted) return;
    document = newDocument();
    isWaiting = false;
    begin();
  });
  const begin = () => {
    call("hello").catch(() => {});
    if (entries(listeners).some(([, { size }]) => size)) wait();
  };
  begin();
})(VALUES);
