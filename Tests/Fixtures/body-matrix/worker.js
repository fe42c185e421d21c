// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Sends the requested body with the requested sender.
'use strict';

importScripts('kinds.js', 'senders.js');

addEventListener('message', async ({ data: { id, sender, kind, url } }) => {
    const made = kinds.find(({ name }) => name === kind);
    postMessage({ id, seen: await scriptSenders[sender](url, made) });
});
