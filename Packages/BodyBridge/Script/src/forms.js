// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Forms that are posted: the container hears of each before its request comes.
//
// The engine tells when it has gathered a form's entries (`formdata`), and it gathers them for a script's `new FormData`
// too. What is gathered outside of such a call is being sent.
//
// A form that replaces its own page stops the loads of that page. So the container holds the navigation until it has the
// body: the page sends it as usual, and cannot tell.

/* global FORCED */

import { handOver, lost } from "./bodies.js";
import { ask, nextID } from "./channel.js";
import { build, wrapConstructor, wrapMethod } from "./disguise.js";
import {
  WeakMap, addListener, apply, attributeOf, entriesOf, lowerCase, prototype, slice, submitterOf, targetOf, weakGet,
  weakSet, world,
} from "./natives.js";
import { isOurs, resolve } from "./urls.js";

/** The button that a form was last submitted by. */
const submitters = new WeakMap();
let makesFormData = false;

/** An attribute of the form as its button has it, or the form. */
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
  // The text is this world and the target: a later form from here replaces one that was not sent.
  const text = slice(nextID(), 0, 16) + chosen(form, "target");
  ask("next", { url, text, "words": words, type: body?.kind });
  begin?.();
};

const listen = (root) => {
  addListener(root, "submit", (event) => weakSet(submitters, targetOf(event), submitterOf(event)), true);
  addListener(root, "formdata", (event) => {
    if (makesFormData || !event.isTrusted) return;
    const form = targetOf(event);
    // What was said of a form that was not sent after all holds no longer, whoever stops this event.
    announce(form);
    // The last to hear it: the page's own listeners may change the entries.
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
