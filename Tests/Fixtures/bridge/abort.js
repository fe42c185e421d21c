// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Aborted requests: before the response, during the upload, and during the response.

/** Makes the engine collect garbage. */
const collect = () => {
  const waste = [];
  for (let round = 0; round < 40; round++) waste.push(new Uint8Array(1 << 20), new Array(1e5).fill({}));
};

const bodies = {
  none: () => undefined,
  text: () => "text",
  blob: () => new Blob(["blob"]),
  large: () => new Blob([new Uint8Array(12 << 20)]),
};

const signals = {
  controller: (time) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), time);
    return controller.signal;
  },
  reason: (time) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new RangeError("enough")), time);
    return controller.signal;
  },
  timeout: (time) => AbortSignal.timeout(time),
  any: (time) => AbortSignal.any([new AbortController().signal, AbortSignal.timeout(time)]),
  before: () => AbortSignal.abort(),
};

/** Returns the result of a call, or "nothing" after a time limit. */
const told = async (call) => {
  const nothing = new Promise((done) => setTimeout(() => done("nothing"), 5_000));
  try { return `${await Promise.race([call(), nothing])}`; } catch (error) {
    return `${error.name}: ${error instanceof Error}`;
  }
};

const fetched = async (path, body, signal) => {
  for (const time of [40, 120, 200]) setTimeout(collect, time);
  return await (await fetch(path, { method: body === undefined ? "GET" : "POST", body, signal })).text();
};

/** Reads a response whose only reference is its stream. */
const read = async (path, body, signal) => {
  const reader = (await fetch(path, { method: body === undefined ? "GET" : "POST", body, signal })).body.getReader();
  for (const time of [0, 40, 80]) setTimeout(collect, time);
  while (!(await reader.read()).done);
  return "read";
};

const sent = (path, body, end, prepare = () => {}) => new Promise((done) => {
  const seen = [];
  const request = new XMLHttpRequest();
  for (const type of ["loadstart", "abort", "timeout", "error", "load", "loadend"]) {
    request.addEventListener(type, () => {
      seen.push(type);
      if (type === "loadend") done(`${seen} ${request.readyState} ${request.status}`);
    });
  }
  request.open(body === undefined ? "GET" : "POST", path);
  prepare(request);
  request.send(body);
  end(request);
});

const aborts = async () => {
  const found = {};
  for (const body in bodies) {
    for (const signal in signals) for (const path of ["/never/abort", "/slow"]) {
      found[`fetch ${path} ${body} ${signal}`] =
        await told(() => fetched(path, bodies[body](), signals[signal](300)));
    }
    for (const signal in signals) {
      found[`read ${body} ${signal}`] = await told(() => read("/slow", bodies[body](), signals[signal](300)));
    }
    for (const path of ["/never/abort", "/slow"]) {
      found[`xhr ${path} ${body}`] =
        await told(() => sent(path, bodies[body](), (request) => setTimeout(() => request.abort(), 300)));
    }
    found[`xhr timeout ${body}`] =
      await told(() => sent("/never/abort", bodies[body](), () => {}, (request) => request.timeout = 300));
    // The engine sends no event; the page dispatches its own.
    found[`xhr own error ${body}`] = await told(() => sent("/never/abort", bodies[body](), (request) => {
      setTimeout(() => (request.dispatchEvent(new ProgressEvent("error")), request.abort()), 400);
    }, (request) => request.timeout = 10_000));
    found[`xhr again ${body}`] = await told(() => sent("/never/abort", bodies[body](), (request) => setTimeout(() => {
      request.open("POST", "/record/again");
      request.send(bodies[body]() ?? null);
    }, 300)));
  }
  return found;
};
