// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// A policy in the markup of a page. It must forbid the same as in the plain engine, but not the requests of the
// script.

const metaPolicy = async (policy) => {
  const frame = document.createElement("iframe");
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  await new Promise((done) => { frame.onload = done; document.body.append(frame); });
  const view = frame.contentWindow;
  const refused = [];
  view.document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  const tried = async (call) => {
    try { return `${(await call()).status}`; } catch (error) { return error.name; }
  };
  const found = {
    blob: await tried(() => view.fetch("/record/blob", { method: "POST", body: new view.Blob(["blob"]) })),
    large: await tried(() => view.fetch("/record/large", { method: "POST", body: new view.Blob([new Uint8Array(3 << 20)]) })),
    echo: await tried(() => view.fetch("/echo", { method: "POST", body: "text" })),
    beacon: `${view.navigator.sendBeacon("/record/beacon", new view.Blob(["beacon"]))}`,
    xhr: await new Promise((done) => {
      const request = new view.XMLHttpRequest();
      request.onloadend = () => done(`${request.status}`);
      request.open("POST", "/record/xhr");
      try { request.send(new view.Blob(["xhr"])); } catch (error) { done(error.name); }
    }),
  };
  // A beacon is sent when its call returns.
  if (found.echo === "200") await fetch("/arrived/beacon", { signal: AbortSignal.timeout(5000) }).catch(() => {});
  // The number of violations is not compared, because the relay's requests are also refused.
  return { ...found, refused: `${[...new Set(refused)]}` };
};
