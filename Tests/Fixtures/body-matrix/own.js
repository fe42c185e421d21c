// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Forms whose response replaces their own document or a document around it. Each form is in its own page,
// submit.html, which submits it.
'use strict';

const ownTargets = [
    { name: 'own', title: 'no target', submissions: Object.keys(submissions) },
    { name: 'self', title: '`_self`', target: '_self' },
    { name: 'parent', title: '`_parent`', target: '_parent', isNested: true },
    { name: 'named', title: 'the name of its frame', isByName: true },
    { name: 'outer', title: 'the name of the frame around it', isByName: true, isNested: true },
    { name: 'top', title: '`_top`', target: '_top', isTop: true },
];

const ownPage = (url, holding, submission, encoding, target) =>
    `/submit.html?${new URLSearchParams({ url, holding: holding.name, submission, encoding, target: target ?? '' })}`;

/// Submits the form that the URL of this page describes.
function submitHere() {
    const order = Object.fromEntries(new URLSearchParams(location.search));
    const holding = holdings.find(({ name }) => name === order.holding);
    const place = make('div', {}, document.body);
    const form = make('form', { action: order.url, method: 'post', enctype: enctypes[order.encoding] }, place);
    if (order.target) form.target = order.target;
    const button = make(holding.button ?? 'button', {}, form);
    holding.fill(form, button, order.url, order.encoding);
    submissions[order.submission](form, button);
}

/// Shows the page of a form in a frame and returns the final content of the frame.
async function byOwnForm(url, holding, submission, encoding, { target, isByName, isNested }) {
    const name = `own-${++frames}`;
    const page = ownPage(url, holding, submission, encoding, isByName ? name : target);
    const place = make('div', { style: 'position: absolute; left: -9999px' }, document.body);
    const frame = document.createElement('iframe');
    frame.name = name;
    frame.src = isNested ? `/outer.html?${encodeURIComponent(page)}` : page;
    const shown = new Promise(done => frame.addEventListener('load', () => {
        const shownPage = frame.contentDocument;
        if (!shownPage) return done('what cannot be read');
        if (shownPage.location.pathname === url) done(`shows ${shownPage.documentElement.textContent}`);
    }));
    place.append(frame);
    try {
        return await bounded(shown);
    } finally {
        place.remove();
    }
}

const ownReason = held => held.name === 'formtarget' ? 'the target is the column' : null;

const ownTable = {
    name: 'own', title: 'Bodies of forms that replace their document, or one around it', rows: holdings,
    columns: ownTargets.flatMap(own => (own.submissions ?? ['click']).flatMap(submission =>
        Object.keys(enctypes).map(encoding => ({
            name: `${own.name}-${submission}-${encoding}`, title: `${own.title}, ${submission}, ${encoding}`, width: 12,
            isTop: own.isTop,
            reason: held => ownReason(held)
                ?? (held.needsSubmitter && submission === 'submit' ? '`submit()` has no submitter' : null),
            page: (url, held) => ownPage(url, held, submission, encoding, own.target),
            send: (url, held) => byOwnForm(url, held, submission, encoding, own)
        }))))
};
