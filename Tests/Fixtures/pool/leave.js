// Leaves as much state as a page can leave in its view, and state that all views share. `left` resolves to the
// failures.
'use strict';

globalThis.onbeforeunload = event => {
    event.preventDefault();
    event.returnValue = 'stay';
};

globalThis.leftGlobal = 1;
Object.prototype.leftProperty = 1;

const silence = () => {
    const bytes = new Uint8Array(44 + 8000);
    const view = new DataView(bytes.buffer);
    [...'RIFF'].forEach((letter, at) => bytes[at] = letter.charCodeAt());
    [...'WAVEfmt '].forEach((letter, at) => bytes[8 + at] = letter.charCodeAt());
    [...'data'].forEach((letter, at) => bytes[36 + at] = letter.charCodeAt());
    view.setUint32(4, 36 + 8000, true);
    view.setUint32(16, 16, true);
    view.setUint16(20, 1, true);
    view.setUint16(22, 1, true);
    view.setUint32(24, 8000, true);
    view.setUint32(28, 8000, true);
    view.setUint16(32, 1, true);
    view.setUint16(34, 8, true);
    view.setUint32(40, 8000, true);
    bytes.fill(128, 44);
    return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }));
};

const database = () => new Promise((done, fail) => {
    const opening = indexedDB.open('kept');
    opening.onupgradeneeded = () => opening.result.createObjectStore('kept').put('1', 'kept');
    opening.onsuccess = () => done(globalThis.leftDatabase = opening.result);
    opening.onerror = () => fail(opening.error);
});

const things = {
    history: () => {
        history.pushState({ left: 1 }, '', '?left');
        history.pushState({ left: 2 }, '', '#left');
        history.scrollRestoration = 'manual';
    },
    name: () => window.name = 'left',
    sessionStorage: () => sessionStorage.left = '1',
    localStorage: () => localStorage.kept = '1',
    cookie: () => document.cookie = 'kept=1; max-age=3600',
    database,
    timer: () => setInterval(() => localStorage.tick = 1 + Number(localStorage.tick ?? 0), 1),
    worker: () => {
        const text = `new BroadcastChannel('worker').onmessage = event => event.target.postMessage('here')`;
        globalThis.leftWorker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    },
    channel: () => new BroadcastChannel('left').onmessage = event => event.target.postMessage('here'),
    lock: () => { navigator.locks?.request('left', () => new Promise(() => {})) },
    session: () => { if (navigator.mediaSession) navigator.mediaSession.playbackState = 'playing' },
    scroll: () => scrollTo(0, 5000),
    focus: () => document.getElementById('field').select(),
    selection: () => getSelection().selectAllChildren(document.body),
    fullscreen: () => { document.documentElement.requestFullscreen?.()?.catch(() => {}) },
    window: () => { open('about:blank', 'leftWindow') },
    zoom: () => document.documentElement.style.zoom = 2,
    mark: () => performance.mark('left'),
    cache: async () => { await globalThis.caches?.open('kept') },
};

/** Plays endless audio. */
globalThis.play = () => {
    const audio = new Audio(silence());
    audio.loop = true;
    audio.play().catch(() => {});
    const context = new AudioContext();
    context.createOscillator().connect(context.destination);
};

globalThis.left = (async () => {
    const failed = [];
    for (const [name, leave] of Object.entries(things)) {
        try { await leave() } catch (error) { failed.push(`${name}: ${error}`) }
    }
    return failed;
})();
