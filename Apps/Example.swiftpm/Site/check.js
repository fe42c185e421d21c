// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

"use strict";

// Shows the result of a check: green, red, or grey with what is still needed. The title and a message have it too.
function show(number, state, detail) {
  document.title = `${state} ${number}` + (detail ? `: ${detail}` : "");
  document.body.className = state;
  const line = document.createElement("p");
  line.textContent = document.title;
  document.body.append(line);
  window.webkit?.messageHandlers?.checks?.postMessage({ number, state, detail: String(detail ?? "") });
}

// Something that a person, or the example app, has to provide.
class Needed extends Error {}

// Runs a check after the page has loaded. A check passes if its function returns, fails if it throws, and waits if its
// promise does not settle.
function check(number, body) {
  addEventListener("load", async () => {
    try {
      show(number, "pass", await body());
    } catch (error) {
      show(number, error instanceof Needed ? "needs" : "fail", error.message ?? error);
    }
  });
}

function expect(condition, text) {
  if (!condition) throw new Error(text);
}

// Waits for a press of a button, from which the engine gives the page the rights of a gesture.
function press(text) {
  return new Promise((resolve) => {
    const button = document.createElement("button");
    button.textContent = text;
    button.onclick = () => resolve();
    document.body.append(button);
  });
}

const never = new Promise(() => {});
