// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The URLs that scripts write into elements and event sources. A URL that the container covers is replaced by its
// container URL, and reads back as written. Markup that scripts write (`innerHTML`) is not parsed.

import { note, wrapURL } from "./answers.js";
import { build, wrapAccessor, wrapConstructor, wrapMethod } from "./disguise.js";
import { WeakMap, apply, attempt, getter, lowerCase, prototype, readTexts, weakGet, weakSet } from "./natives.js";
import { nameOf, realURL } from "./urls.js";

/**
 * The attributes with which an element loads a resource, or with which a form navigates. The table avoids creating
 * elements and looking up missing interfaces, because both take time at the start of each document.
 */
const attributes = "Embed.src Form.action IFrame.src Image.src Input.src Link.href Media.src Object.data Script.src "
  + "Source.src Track.src Video.poster";

/** The getters of those attributes, by name. */
const getters = { __proto__: null };

/** Returns whether an element has an attribute of this name that loads a resource or navigates. */
const loads = (element, name) => {
  const all = getters[name];
  for (let index = 0; index < all?.length; index++) {
    if (attempt(all[index], element) !== undefined) return true;
  }
  return false;
};

/** The written URLs that were replaced: by element, then by name. */
const written = new WeakMap();

const translate = (element, value) => {
  // A trusted type is not converted.
  if (typeof value === "object") return value;
  const text = `${value}`;
  const name = nameOf(text);
  if (!name) return text;
  const texts = weakGet(written, element) ?? { __proto__: null };
  texts[name] = text;
  weakSet(written, element, texts);
  return name;
};

const asWritten = (element, value) => weakGet(written, element)?.[value] ?? value;

export const patchAddresses = () => {
  const names = attributes.split(" ");
  for (let index = 0; index < names.length; index++) {
    const [type, key] = names[index].split(".");
    const name = `HTML${type}Element`;
    (getters[key] ??= []).push(getter(name, key));
    wrapAccessor(prototype(name), key, (original, self) => {
      const value = apply(original, self, []);
      return weakGet(written, self)?.[value] ? realURL(value) : value;
    }, (original, self, args) => apply(original, self, [translate(self, args[0])]));
  }
  const element = prototype("Element");
  wrapMethod(element, "setAttribute", (original, self, args) => {
    // No other method has these arguments.
    if (args.length > 1) {
      readTexts(args, 1);
      if (loads(self, lowerCase(args[0]))) args[1] = translate(self, args[1]);
    }
    return apply(original, self, args);
  });
  wrapMethod(element, "getAttribute", (original, self, args) => asWritten(self, apply(original, self, args)));
  wrapConstructor("EventSource", (original, args, newTarget) => {
    readTexts(args, 1);
    const name = args.length && nameOf(args[0]);
    if (name) args[0] = name;
    const source = build(original, args, newTarget);
    note(source, { isReal: name });
    return source;
  });
  wrapURL(prototype("EventSource"), "url");
};
