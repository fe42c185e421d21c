// Looks for state of an earlier page in the view, with everything that a page can query, and for state that all views
// share.
'use strict';

const answered = async name => {
    const channel = new BroadcastChannel(name);
    let isAnswered = false;
    channel.onmessage = () => isAnswered = true;
    channel.postMessage('anyone?');
    for (let round = 0; round < 4; round++) await fetch('/round', { cache: 'no-store' });
    channel.close();
    return isAnswered;
};

const ticks = async () => {
    const before = localStorage.tick;
    for (let round = 0; round < 8; round++) await fetch('/round', { cache: 'no-store' });
    return localStorage.tick !== before;
};

/** Returns whether another page keeps the database open. */
const databaseIsHeld = () => new Promise((done, fail) => {
    const opening = indexedDB.open('kept', Date.now());
    opening.onblocked = () => done(true);
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
        opening.result.close();
        done(false);
    };
});

const signs = {
    history: () => history.length !== 1 || history.state !== null,
    restoration: () => history.scrollRestoration !== 'auto',
    navigation: () => performance.getEntriesByType('navigation')[0]?.type !== 'navigate',
    referrer: () => document.referrer !== '',
    name: () => window.name !== '',
    opener: () => window.opener !== null,
    frames: () => window.length !== 1 || window.parent !== window,
    named: () => ['leftFrame', 'leftBlank', 'leftWindow'].some(name => window[name] !== undefined),
    document: () => document.title !== 'look' || document.body.style.height !== ''
        || document.documentElement.style.zoom !== '',
    sessionStorage: () => sessionStorage.length !== 0,
    frameStorage: async () => await frameSays !== 0,
    globals: () => Object.getOwnPropertyNames(globalThis).some(name => name.startsWith('left')) || 'leftProperty' in {},
    scripts: () => globalThis.hostLeft !== undefined,
    handlers: () => globalThis.webkit?.messageHandlers?.hostLeft !== undefined,
    ownScripts: () => globalThis.hostOwn !== 1,
    ownHandlers: async () => await webkit.messageHandlers.hostOwn.postMessage(1) !== 2,
    scroll: () => scrollX !== 0 || scrollY !== 0,
    focus: () => document.activeElement !== document.body,
    selection: () => getSelection().toString() !== '',
    fullscreen: () => document.fullscreenElement != null,
    scale: () => visualViewport.scale !== 1 || devicePixelRatio !== expected.ratio || innerWidth !== expected.width,
    userAgent: () => navigator.userAgent !== expected.userAgent,
    marks: () => performance.getEntriesByType('mark').length !== 0,
    media: () => navigator.mediaSession !== undefined && navigator.mediaSession.playbackState !== 'none',
    locks: async () => (await navigator.locks?.query())?.held.length > 0,
    channel: () => answered('left'),
    worker: () => answered('worker'),
    timer: ticks,
    database: () => !expected.leavesDatabase && databaseIsHeld(),
};

const belongings = {
    cookie: () => document.cookie.includes('kept=1'),
    localStorage: () => localStorage.kept === '1',
    database: async () => (await indexedDB.databases()).some(database => database.name === 'kept'),
};

/** @returns {Promise<{found: string[], lost: string[]}>} found state of the earlier page, and missing shared state */
globalThis.look = async () => {
    // This check is first, because a held database blocks all later requests to it.
    const lost = [];
    for (const [name, isThere] of Object.entries(belongings)) if (!await isThere()) lost.push(name);
    const found = [];
    for (const [name, isThere] of Object.entries(signs)) {
        try { if (await isThere()) found.push(name) } catch (error) { found.push(`${name}: ${error}`) }
    }
    // Without an earlier history entry, this call has no effect.
    if (!found.includes('history')) history.back();
    await fetch('/round', { cache: 'no-store' });
    if (document.title !== 'look') found.push('back');
    return { found, lost };
};
