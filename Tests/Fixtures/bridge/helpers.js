// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/** Loads another script of this folder. */
const load = (name) => new Promise((done, fail) => {
  const script = document.createElement("script");
  script.onload = done;
  script.onerror = fail;
  script.src = `/${name}`;
  document.head.append(script);
});

const frame = (attributes = {}) => {
  const element = document.createElement("iframe");
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  document.body.append(element);
  return element;
};

/** Returns the result of a promise within a time limit, as text. */
const outcome = (promise, limit = 3000) => Promise.race([
  Promise.resolve(promise).then((value) => `${value}`, (error) => `${error?.name}`),
  new Promise((end) => setTimeout(() => end("nothing yet"), limit)),
]);
