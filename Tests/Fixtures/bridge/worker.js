// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

(async () => {
  const place = (name) => name.replace(/containerkit(-http)?:/, "https:");
  const stacks = [];
  await fetch({ toString() { stacks.push(new Error().stack); return "http://["; } }).catch((error) => stacks.push(error.stack));
  postMessage({
    name, href: place(location.href), text: place(String(location)), hash: location.hash, search: location.search,
    stacks: stacks.some((stack) => /[0-9a-f]{32} |base64/.test(stack)), keys: Object.keys(globalThis).sort().join(),
    blob: await fetch("/echo", { method: "POST", body: new Blob(["of a worker"]) }).then((answer) => answer.text())
      .then((text) => text.endsWith("of a worker")),
  });
})();
