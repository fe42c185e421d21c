// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Posted forms. The container receives an announcement of each form before its request.
//
// The engine fires `formdata` when it has collected the entries of a form, also for a script's `new FormData`. Entries
// that are collected outside of such a call are about to be sent.
//
// A form that replaces its own page stops the loads of that page. So the container delays the navigation until it has
// the body. The page sends the body as usual and cannot detect the delay.

/* global FORCED */

import { handOver, lost } from "./bodies.js";
import { ask, nextID } from "./channel.js";
import { build, wrapConstructor, wrapMethod } from "./disguise.js";
import {
  WeakMap, addListener, apply, attributeOf, entriesOf, lowerCase, prototype, slice, submitterOf, targetOf, weakGet,
  weakSet, world,
} from "./natives.js";
import { isOurs, resolve } from "./urls.js";

/** The button that last submitted a form. */
const submitters = new WeakMap();
let makesFormData = false;

/** Returns an attribute of the form's button, or that of the form. */
const chosen = (form, name) => {
  const button = weakGet(submitters, form);
  return (button && attributeOf(button, `form${name}`)) ?? attributeOf(form, name) ?? "";
};

const announce = (form, entries) => {
  if (FORCED || lowerCase(chosen(form, "method")) !== "post") return;
  const url = resolve(chosen(form, "action"));
  if (!isOurs(url)) return;
  const body = lowerCase(chosen(form, "enctype")) === "multipart/form-data" && lost(entries);
  const { words, begin } = body ? handOver(body) : { words: "plain" };
  // The text identifies this world and the target. A later form with the same text replaces a form that was not sent.
  const text = slice(nextID(), 0, 16) + chosen(form, "target");
  ask("next", { url, text, "words": words, type: body?.kind });
  begin?.();
};

const listen = (root) => {
  addListener(root, "submit", (event) => weakSet(submitters, targetOf(event), submitterOf(event)), true);
  addListener(root, "formdata", (event) => {
    if (makesFormData || !event.isTrusted) return;
    const form = targetOf(event);
    // The announcement replaces that of an earlier form that was not sent, even if a listener stops this event.
    announce(form);
    // This listener runs last, because the page's listeners may change the entries.
    addListener(root, "formdata", (later) => later === event && announce(form, entriesOf(event)),
      { __proto__: null, once: true });
  }, true);
};

export const listenToForms = () => listen(world);

export const patchForms = () => {
  listenToForms();
  // These events do not leave a shadow tree.
  wrapMethod(prototype("Element"), "attachShadow", (original, self, args) => {
    const root = apply(original, self, args);
    listen(root);
    return root;
  });
  wrapMethod(prototype("HTMLFormElement"), "submit", (original, self, args) => {
    if (self) weakSet(submitters, self, undefined);
    return apply(original, self, args);
  });
  wrapConstructor("FormData", (original, args, newTarget) => {
    makesFormData = true;
    try {
      return build(original, args, newTarget);
    } finally {
      makesFormData = false;
    }
  });
};
