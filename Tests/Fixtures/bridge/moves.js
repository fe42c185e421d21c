// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Redirects as scripts see them, and repeated requests.

const simple = (text) => `${text}`.replaceAll("containerkit://", "https://");

const described = async (url, init) => {
  try {
    const answer = await fetch(url, init);
    const clone = answer.clone();
    return simple(JSON.stringify([
      answer.type, answer.status, answer.statusText, answer.ok, answer.url, answer.redirected,
      answer.headers.get("location"), clone.type, clone.url, clone.redirected, await answer.text(),
      new Request(url, init).redirect,
    ]));
  } catch (error) { return `${error.name}: ${error.message}`; }
};

const byXHR = (url, isAsync) => new Promise((end) => {
  const request = new XMLHttpRequest();
  const seen = [];
  request.open("GET", url, isAsync);
  request.onreadystatechange = () => { if (request.readyState > 1) seen.push(request.responseURL); };
  request.onloadend = () => end(simple([...seen, request.responseURL, request.status].join()));
  request.send();
});

const moves = async () => {
  const found = {};
  const landed = encodeURIComponent("/record/landed");
  const twice = encodeURIComponent(`/to?${encodeURIComponent("/record/twice")}`);
  for (const redirect of ["follow", "manual", "error"]) {
    found[redirect] = await described(`/to?${landed}`, { redirect });
    found[`${redirect}, by POST`] = await described(`/to?${landed}`, { redirect, method: "POST", body: new Blob(["x"]) });
    found[`${redirect}, twice`] = await described(`/to?${twice}#part`, { redirect });
    found[`${redirect}, none`] = await described("/record/none", { redirect });
  }
  for (const isAsync of [true, false]) {
    found[`xhr ${isAsync}`] = await byXHR(`/to?${landed}`, isAsync);
    found[`xhr ${isAsync}, none`] = await byXHR("/record/none", isAsync);
  }
  return found;
};

const byScript = (url) => new Promise((end) => {
  const element = document.createElement("script");
  element.onload = () => end(globalThis.count);
  element.src = url;
  document.head.append(element);
});

const textOf = (url) => new Promise((end) => {
  const request = new XMLHttpRequest();
  request.open("GET", url);
  request.onload = () => end(request.responseText);
  request.send();
});

/** Returns the numbers of requests that the server counted, from two responses. */
const again = async () => {
  const found = {};
  const kinds = { nothing: "", "no time": "Cache-Control=max-age%3D0", "a minute": "Cache-Control=max-age%3D60", tag: "ETag=%22x%22" };
  for (const kind in kinds) {
    for (const [name, ask] of [["script", byScript], ["xhr", textOf]]) {
      const url = `/count/${name}-${encodeURIComponent(kind)}?Content-Type=text/javascript&${kinds[kind]}`;
      found[`${name}, ${kind}`] = [await ask(url), await ask(url)].join();
    }
  }
  return found;
};
