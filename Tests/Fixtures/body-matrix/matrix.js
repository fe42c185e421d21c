// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Sends each kind of body with each sender and returns the results of the page. Every wait has a time limit.
'use strict';

/// The time limit for a cell in milliseconds.
const limit = 10_000;

const bounded = promise => Promise.race([
    promise, new Promise(done => setTimeout(() => done(`no end within ${limit / 1000} s`), limit))
]);

/// The worker. It is created at its first use and tags each response with the number of the request.
const worker = {
    questions: new Map(),

    ask(sender, url, kind) {
        this.worker ??= this.start();
        return new Promise(done => {
            const id = this.questions.size;
            this.questions.set(id, done);
            this.worker.postMessage({ id, sender, kind: kind.name, url });
        });
    },

    start() {
        const worker = new Worker('worker.js');
        worker.addEventListener('message', ({ data }) => this.questions.get(data.id)(data.seen));
        worker.addEventListener('error', () => this.questions.forEach(done => done('the worker failed')));
        return worker;
    },
};

/// Sends a beacon. It has no response, so the server is asked if it arrived.
async function byBeacon(url, kind) {
    try {
        const isQueued = navigator.sendBeacon(url, kind.make());
        if (isQueued) await fetch(url.replace('/record/', '/arrived/'));
        return String(isQueued);
    } catch (error) {
        return error.name;
    }
}

const holding = kind => ({
    fill(form) {
        for (const [name, value, given] of kind.fields()) {
            give(form, name, given ? new File([value], given, { type: value.type }) : value);
        }
    }
});

const beaconReason = kind => kind.beacon ? kind.beacon
    : kind.headers ? 'a beacon has no header fields of its own'
    : kind.method ? 'a beacon is a POST' : null;
const workerReason = kind => kind.needsDocument ? 'a worker has no documents' : null;
const formReason = kind => kind.fields ? null : 'a form holds fields and files';

/// Returns a column. `width` is the number of simultaneous cells.
const inWorker = (sender, title, width = 4) => ({
    name: `worker-${sender}`, title, width, reason: workerReason, send: (url, kind) => worker.ask(sender, url, kind)
});
const scripted = (name, title, width = 4) => ({ name, title, width, reason: () => null, send: scriptSenders[name] });

const tables = [
    {
        name: 'script', title: 'Bodies of scripts', rows: kinds, columns: [
            scripted('fetch', '`fetch`'),
            scripted('request', '`fetch` of a `Request`'),
            scripted('again', '`fetch` of a `Request` of a `Request`'),
            // Simultaneous keepalive requests share a limit.
            scripted('keepalive', '`fetch`, `keepalive`', 1),
            scripted('xhr', 'XHR'),
            scripted('sync', 'XHR, sync', 1),
            { name: 'beacon', title: '`sendBeacon`', width: 1, reason: beaconReason, send: byBeacon },
            inWorker('fetch', 'worker `fetch`'),
            inWorker('xhr', 'worker XHR'),
            inWorker('sync', 'worker XHR, sync', 1),
            {
                name: 'form', title: 'form', width: 50, reason: formReason,
                send: (url, kind) => byForm(url, holding(kind), 'click', kind.enctype === multipart ? 'multipart' : 'urlencoded')
            },
        ]
    },
    {
        name: 'form', title: 'Bodies of forms', rows: holdings,
        columns: Object.keys(enctypes).flatMap(encoding => Object.keys(submissions).map(submission => ({
            name: `${submission}-${encoding}`, title: `${submission === 'click' ? 'click' : `\`${submission}\``}, ${encoding}`,
            // All cells run simultaneously, because those that end in a time-out take long.
            width: 50,
            reason: held => held.needsSubmitter && submission === 'submit' ? '`submit()` has no submitter' : null,
            send: (url, held) => byForm(url, held, submission, encoding)
        })))
    },
    ownTable,
];

const isMeant = (table, column, only) => only.length === 0 || only.includes(`${table.name}.${column.name}`);

/// Returns the cells whose form replaces this page. The program that drives the page opens each of them and reports
/// the final content. `url` is the page of the form, `end` the path of the response.
function topOrders(only = []) {
    return tables.flatMap(table => table.columns.filter(column => column.isTop && isMeant(table, column, only))
        .flatMap(column => table.rows.map(row => {
            const cell = `${table.name}.${column.name}.${row.name}`;
            const none = column.reason(row), end = `/record/${cell}`;
            return none ? { cell, none } : { cell, url: column.page(end, row), end };
        })));
}

/// Runs all cells of a column, with at most `width` at a time.
async function runColumn(table, column, cells) {
    const rows = table.rows[Symbol.iterator]();
    await Promise.all(Array.from({ length: column.width }, async () => {
        for (const row of rows) {
            const cell = `${table.name}.${column.name}.${row.name}`;
            const reason = column.reason(row);
            cells[cell] = reason ? { none: reason } : { page: await bounded(column.send(`/record/${cell}`, row)) };
        }
    }));
}

/// Runs the matrix.
/// - Parameter only: The names of the columns to run; default: all.
async function runMatrix(only = []) {
    const cells = {}, times = {};
    for (const table of tables) {
        for (const column of table.columns) {
            if (column.isTop || !isMeant(table, column, only)) continue;
            const begin = performance.now();
            await runColumn(table, column, cells);
            times[`${table.name}.${column.name}`] = Math.round(performance.now() - begin);
        }
    }
    const named = ({ name, title }) => ({ name, title });
    return {
        tables: tables.map(table => ({
            ...named(table), rows: table.rows.map(named), columns: table.columns.map(named)
        })), cells, times
    };
}
