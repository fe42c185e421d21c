// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The cookies that a page sees and that servers receive, as an object of strings. The strings must be equal in the
// plain engine and in the container's modes. The hosts are names of one server: /set?<Set-Cookie> sets a cookie, and
// /echo returns the received cookies.

const site = "https://www.example.com";
const api = "https://api.example.com";
const foreign = "https://example.org";

const text = async (url, options) => {
  try { return await (await fetch(url, options)).text(); } catch (error) { return error.name; }
};
const sorted = (cookies) => cookies.split("; ").sort().join("; ");
const set = (host, cookie, options) => text(`${host}/set?${encodeURIComponent(cookie)}`, options);
const echo = async (host, options, path = "/echo") => sorted(await text(host + path, options));
const include = { credentials: "include" };
const loaded = (element) => new Promise((resolve) => {
  element.onload = element.onerror = () => resolve(element);
  document.body.append(element);
});
const frame = async (url) => {
  const element = document.createElement("iframe");
  element.src = url;
  return (await loaded(element)).contentWindow;
};

const cases = {
  "of the document's answer": () => sorted(document.cookie),
  "sent with the next request": () => echo(site),
  "set by a script": () => {
    document.cookie = "script=1; path=/";
    document.cookie = "below=1; path=/below";
    document.cookie = "far=1; domain=example.com; path=/";
    return sorted(document.cookie);
  },
  "of a script, sent": () => echo(site),
  "of a script, sent below its path": () => echo(site, {}, "/below/echo"),
  "of a script, sent to the site's other host": () => echo(api, include),
  "refused of scripts": () => {
    document.cookie = "own=1; domain=example.org";
    document.cookie = "suffix=1; domain=com";
    document.cookie = "mine=1; HttpOnly; path=/";
    document.cookie = "__Host-a=1; path=/below; secure";
    return sorted(document.cookie);
  },
  "HttpOnly is kept": () => echo(site),
  "prefixes kept": async () => {
    document.cookie = "__Host-b=1; path=/; secure";
    document.cookie = "__Secure-b=1; path=/; secure";
    return sorted(document.cookie);
  },
  "changed by a script": () => {
    document.cookie = "script=2; path=/";
    return sorted(document.cookie);
  },
  "removed by a script": () => {
    document.cookie = "script=; path=/; max-age=0";
    document.cookie = "far=; domain=example.com; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT";
    return sorted(document.cookie);
  },
  "of odd texts": () => {
    for (const cookie of ["=nameless", "name", "spaces = a b ", "eq=a=b=c", "quoted=\"q;x\"", "  lead=1"]) document.cookie = cookie;
    const seen = sorted(document.cookie);
    for (const cookie of ["nameless", "name", "spaces=", "eq=", "quoted=", "lead="]) document.cookie = `${cookie}; max-age=0`;
    return seen;
  },
  "set by fetch, seen at once": async () => {
    await set(site, "fetched=1; path=/");
    return sorted(document.cookie);
  },
  "set by a synchronous request": () => {
    const before = document.cookie.includes("synchronous");
    const request = new XMLHttpRequest();
    request.open("GET", `/set?${encodeURIComponent("synchronous=1; path=/")}`, false);
    request.send();
    return `${before} ${document.cookie.includes("synchronous=1")}`;
  },
  "without credentials": () => echo(site, { credentials: "omit" }),
  "set without credentials": async () => {
    await set(site, "omitted=1; path=/", { credentials: "omit" });
    return sorted(document.cookie);
  },
  "to the other host, by default": () => echo(api),
  "set by the other host, by default": async () => {
    await set(api, "default=1; domain=example.com; path=/");
    return sorted(document.cookie);
  },
  "set by the other host, with credentials": async () => {
    await set(api, "included=1; domain=example.com; path=/", include);
    await set(api, "private=1; path=/", include);
    return `${sorted(document.cookie)} | ${await echo(api, include)}`;
  },
  "XMLHttpRequest with credentials": () => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", `${api}/echo`);
    request.withCredentials = true;
    request.onloadend = () => resolve(sorted(request.responseText));
    request.send();
  }),
  "a picture of the other host": async () => {
    const picture = new Image();
    picture.src = `${api}/set?${encodeURIComponent("pixel=1; domain=example.com; path=/")}`;
    await loaded(picture);
    return sorted(document.cookie);
  },
  "each hop of a redirect": async () => {
    const seen = await echo(site, include, "/hop");
    return `${seen} | ${sorted(document.cookie)}`;
  },
  "a POST": () => echo(site, { method: "POST", body: "x" }),
  "a frame of the same host": async () => {
    const window = await frame("/frame");
    window.document.cookie = "framed=1; path=/";
    return sorted(document.cookie) + " | " + sorted(window.document.cookie);
  },
  "a frame without a URL": async () => {
    const window = await frame("about:blank");
    return sorted(window.document.cookie);
  },
  "a document without a view": () => {
    const detached = new DOMParser().parseFromString("<p>", "text/html");
    detached.cookie = "detached=1";
    return `${detached.cookie}|${document.cookie.includes("detached")}`;
  },
  "SameSite in one's own site": async () => {
    await set(site, "strict=1; path=/; SameSite=Strict");
    await set(site, "lax=1; path=/; SameSite=Lax");
    return `${sorted(document.cookie)} | ${await echo(site)}`;
  },
  "an insecure page's secure cookie": async () => {
    await set(site, "safe=1; path=/; Secure");
    return `${await echo(site)}`;
  },
  // Requirements of RFC 6265bis, sections 5.6 and 5.7, that this engine does not meet.
  "beyond the engine": async () => {
    await set(site, "secret=1; Path=/; HttpOnly");
    document.cookie = "secret=2; path=/";
    document.cookie = "__Secure-a=1; path=/";
    document.cookie = "letters=ü; path=/";
    const seen = document.cookie;
    for (const name of ["secret", "__Secure-a", "letters"]) document.cookie = `${name}=; path=/; max-age=0`;
    await set(site, "secret=; Path=/; Max-Age=0");
    return sorted(seen).split("; ").filter((cookie) => /^(secret|__Secure-a|letters)/.test(cookie)).join("; ");
  },
  "another site": async () => {
    await set(foreign, "third=1; path=/; SameSite=None; Secure", include);
    return echo(foreign, include);
  },
  "cleared by the server": async () => {
    await text("/clear");
    return `${document.cookie} | ${await echo(site)}`;
  },
  "the accessor": () => {
    const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
    const errors = [get, set].map((accessor) => {
      try { return accessor.call({}, ""); } catch (error) { return `${error.name}: ${error.message}`; }
    });
    return [get, set].map((accessor) => `${accessor.name} ${accessor.length} ${accessor}`)
      .concat(errors, enumerable, configurable, Object.keys(document).join()).join("\n");
  },
};

globalThis.runCookies = async () => {
  const seen = {};
  for (const [name, run] of Object.entries(cases)) {
    try { seen[name] = String(await run()); } catch (error) { seen[name] = `${error.name}: ${error.message}`; }
  }
  return seen;
};
