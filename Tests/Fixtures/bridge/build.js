// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// URLs that a script builds for the page's real host: their destination, and the values that read back. `real` is the
// origin that the page believes it has.

const real = "https://forms.example";
const shown = (text) => `${text}`.replaceAll("containerkit://", "https://");

const withElement = (tag, key, path, loaded = "load") => new Promise((end) => {
  const element = document.createElement(tag);
  const url = `${real}/record/${path}`;
  if (tag === "link") element.rel = "stylesheet";
  const done = () => end([element[key], element.getAttribute(key), key in element.attributes].map(String));
  element.addEventListener(loaded, done);
  element.addEventListener("error", done);
  setTimeout(done, 2000);
  if (path.endsWith("-attribute")) element.setAttribute(key, url); else element[key] = url;
  document.body.append(element);
});

const builders = {
  fetch: async (name) => {
    const answer = await fetch(`${real}/record/${name}`);
    return [answer.url, answer.redirected, answer.type, await answer.text()];
  },
  fetchURL: async (name) => [(await fetch(new URL(`${real}/record/${name}`))).url],
  fetchRequest: async (name) => {
    const request = new Request(`${real}/record/${name}#part`);
    const answer = await fetch(request);
    return [request.url, request.clone().url, new Request(request).url, answer.url, answer.clone().url];
  },
  fetchMoved: async (name) => {
    const answer = await fetch(`${real}/to?${encodeURIComponent(`/record/${name}`)}`);
    return [answer.url, answer.redirected, answer.clone().url];
  },
  xhr: (name) => new Promise((end) => {
    const request = new XMLHttpRequest();
    request.open("GET", `${real}/record/${name}`);
    const seen = { before: request.responseURL };
    request.onreadystatechange = () => {
      // The engine may delay the first events of a request, so that the state may have changed when they arrive. Only
      // the equality of the values matters.
      if (request.readyState > 1) seen[request.responseURL] = true;
    };
    request.onload = () => end(seen);
    request.send();
  }),
  xhrMoved: (name) => new Promise((end) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${real}/to?${encodeURIComponent(`/record/${name}`)}`);
    request.onload = () => end([request.responseURL, request.status]);
    request.send("x");
  }),
  xhrSync: async (name) => {
    const request = new XMLHttpRequest();
    request.open("GET", `${real}/record/${name}`, false);
    request.send();
    return [request.responseURL, request.responseText];
  },
  xhrAgain: async (name) => {
    const request = new XMLHttpRequest();
    const once = (url) => new Promise((end) => {
      request.open("GET", url);
      request.onload = () => end(shown(request.responseURL));
      request.send();
    });
    return [await once(`${real}/to?/record/${name}`), await once(`/record/${name}`), await once("data:text/plain,x")];
  },
  eventSource: (name) => new Promise((end) => {
    const source = new EventSource(`${real}/record/${name}`, { withCredentials: true });
    source.onerror = () => { end([source.url, source.withCredentials]); source.close(); };
  }),
  worker: (name) => new Promise((end) => {
    const worker = new Worker(`${real}/worker.js?${name}`, { name });
    worker.onmessage = ({ data }) => end([data.name, data.href, data.search]);
    worker.onerror = () => end(["error"]);
  }),
  beacon: async (name) => {
    const isTaken = navigator.sendBeacon(`${real}/record/${name}`, "x");
    await fetch(`/arrived/${name}`);
    return [isTaken];
  },
  img: (name) => withElement("img", "src", name),
  imgAttribute: () => withElement("img", "src", "img-attribute"),
  script: (name) => withElement("script", "src", name),
  link: (name) => withElement("link", "href", name),
  iframe: (name) => withElement("iframe", "src", name),
  iframeAttribute: () => withElement("iframe", "src", "iframe-attribute"),
  embed: (name) => withElement("embed", "src", name),
  object: (name) => withElement("object", "data", name),
  video: (name) => withElement("video", "poster", name),
  a: async () => {
    const element = document.createElement("a");
    element.href = `${real}/record/a`;
    return [element.href, element.getAttribute("href"), element.pathname, element.host];
  },
  form: async (name) => {
    const form = document.createElement("form");
    frame({ name: "of-form" });
    form.action = `${real}/record/${name}`;
    form.target = "of-form";
    form.method = "post";
    form.innerHTML = "<input name=a value=b>";
    document.body.append(form);
    form.submit();
    await fetch(`/arrived/${name}`);
    return [form.action, form.getAttribute("action")];
  },
  location: async () => [location.href, document.URL, document.baseURI, document.documentURI, `${new URL("/x", location)}`],
};

const build = async () => {
  const results = {};
  for (const name in builders) {
    results[name] = await outcome(builders[name](name).then((values) => shown(JSON.stringify(values))), 6000);
  }
  return results;
};
