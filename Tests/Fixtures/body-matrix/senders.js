// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The ways for a script to send a body, in a page and in a worker. Each returns the observations of the script.
'use strict';

const method = kind => kind.method ?? 'POST';
const said = (status, answer) => `${status} ${answer}`.trim();

const options = (kind, more) => {
    const body = kind.make();
    const duplex = body instanceof ReadableStream ? { duplex: 'half' } : {};
    return { method: method(kind), headers: kind.headers ?? {}, body, ...duplex, ...more };
};

async function byFetch(ask) {
    try {
        const answer = await ask();
        return said(answer.status, await answer.text());
    } catch (error) {
        return error.name;
    }
}

/// Records the events of an XMLHttpRequest in order. Consecutive progress events count once.
function watched(request) {
    const events = [];
    const note = name => { if (events.at(-1) !== name) events.push(name); };
    for (const type of ['loadstart', 'progress', 'abort', 'error', 'load', 'timeout', 'loadend']) {
        request.addEventListener(type, () => note(type));
        request.upload.addEventListener(type, () => note(`upload ${type}`));
    }
    request.addEventListener('readystatechange', () => note(request.readyState));
    return events;
}

function byXHR(url, kind, isAsync) {
    return new Promise(done => {
        const request = new XMLHttpRequest();
        const events = watched(request);
        const tell = outcome => done(`${outcome}: ${events.join(', ')}`);
        try {
            request.open(method(kind), url, isAsync);
            for (const [name, value] of Object.entries(kind.headers ?? {})) request.setRequestHeader(name, value);
            request.addEventListener('loadend', () => {
                if (isAsync) tell(said(request.status, request.responseText));
            });
            request.send(kind.make());
            if (!isAsync) tell(said(request.status, request.responseText));
        } catch (error) {
            tell(error.name);
        }
    });
}

/// The senders that a page and a worker share.
const scriptSenders = {
    fetch: (url, kind) => byFetch(() => fetch(url, options(kind))),
    request: (url, kind) => byFetch(() => fetch(new Request(url, options(kind)))),
    again: (url, kind) => byFetch(() => fetch(new Request(new Request(url, options(kind))), { cache: 'no-store' })),
    keepalive: (url, kind) => byFetch(() => fetch(url, options(kind, { keepalive: true }))),
    xhr: (url, kind) => byXHR(url, kind, true),
    sync: (url, kind) => byXHR(url, kind, false),
};
