// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Requests of a page that unloads: in each unload event, with a beacon and with a keepalive request.

const form = (name) => {
  const data = new FormData();
  data.append("text", name);
  data.append("file", new Blob([`file of ${name}`], { type: "a/b" }), "name.bin");
  return data;
};

const kinds = {
  text: (name) => `text of ${name}`,
  blob: (name) => new Blob([`blob of ${name}`], { type: "c/d" }),
  form,
  bytes: (name) => new TextEncoder().encode(`bytes of ${name}`),
};

const sendAll = (when) => {
  for (const kind in kinds) {
    const name = `${when}-${kind}`;
    navigator.sendBeacon(`/record/beacon-${name}`, kinds[kind](name));
    fetch(`/record/keep-${name}`, { method: "POST", body: kinds[kind](name), keepalive: true }).catch(() => {});
  }
};

const leave = () => {
  addEventListener("pagehide", () => sendAll("pagehide"));
  document.addEventListener("visibilitychange", () => sendAll("hidden"));
  addEventListener("unload", () => sendAll("unload"));
  location.href = "/left.html";
};

/** Returns the cells that have arrived. They are read sequentially, because connections to a server are limited. */
const brought = async () => {
  const found = {};
  for (const way of ["keep", "beacon"]) for (const when of ["pagehide", "hidden", "unload"]) for (const kind in kinds) {
    const name = `${way}-${when}-${kind}`;
    found[name] = await fetch(`/arrived/${name}`, { signal: AbortSignal.timeout(700) }).then(() => "came", () => "nothing");
  }
  return found;
};
