// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The contents of forms and the ways to submit them. The response goes to a frame, so that the page stays.
'use strict';

const make = (tag, attributes = {}, parent = null) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent?.append(element);
    return element;
};

/// Adds a field to a form: text, or files as if a user had selected them.
const give = (form, name, value) => {
    if (typeof value === 'string') return make('input', { type: 'hidden', name, value }, form);
    const chosen = new DataTransfer();
    // FormData also turns a Blob into a file with this name.
    for (const file of [value].flat()) {
        chosen.items.add(file instanceof File ? file : new File([file], 'blob', { type: file.type }));
    }
    const input = make('input', { type: 'file', name, multiple: '' }, form);
    input.files = chosen.files;
    return input;
};

const has = (...fields) => form => { for (const field of fields) give(form, ...field); };
const enctypes = { urlencoded: 'application/x-www-form-urlencoded', multipart, text: 'text/plain' };
const following = { urlencoded: 'multipart', multipart: 'text', text: 'urlencoded' };

/// Retained files. The plain engine sometimes collects a file that a listener adds to a form before the form is sent,
/// and then sends it empty. A Blob cannot be retained, because the engine creates a File from it; so only Files are
/// used.
const heldFiles = [];
const held = file => (heldFiles.push(file), file);

class Held extends HTMLElement {
    static formAssociated = true;

    hold(value) {
        (this.internals ??= this.attachInternals()).setFormValue(value);
    }
}
customElements.define('held-value', Held);

/// The contents. `fill` receives the form, its submitter, its URL, and its encoding.
const holdings = [
    { name: 'nothing', title: 'no field', fill: has() },
    { name: 'ascii', title: 'text', fill: has(['a', '1'], ['b', 'two words'], ['a', '3'], ['', 'no name']) },
    { name: 'unicode', title: 'emoji, NUL and lone surrogates', fill: has(['é€😀', text], ['\ud800', '\udc00']) },
    { name: 'marks', title: 'marks that are escaped', fill: has(...names.map(name => [name, name]), ['&=+', '<&=+%;>']) },
    { name: 'breaks', title: 'line breaks', fill: has(...breaks.flatMap(value => [['value', value], [value, 'name']])) },
    {
        name: 'area', title: '`<textarea>` with hard line breaks', fill(form) {
            make('textarea', { name: 'a', wrap: 'hard', cols: 5 }, form).value = 'one two three\nfour\r\nfive\rsix';
        }
    },
    {
        name: 'controls', title: 'boxes, lists, fields that are disabled or elsewhere', fill(form) {
            make('input', { type: 'checkbox', name: 'box', checked: '' }, form);
            make('input', { type: 'checkbox', name: 'unchecked' }, form);
            make('input', { type: 'radio', name: 'radio', value: '1', checked: '' }, form);
            const list = make('select', { name: 'list', multiple: '' }, form);
            for (const value of ['x', 'y', 'z']) make('option', { selected: '', value }, list).disabled = value === 'y';
            make('input', { name: 'disabled', value: '1', disabled: '' }, form);
            form.id = 'form-of-controls';
            make('input', { name: 'elsewhere', value: '1', form: form.id }, form.parentNode);
        }
    },
    {
        name: 'direction', title: '`dirname`', fill: form =>
            make('input', { name: 'a', value: 'שלום', dirname: 'a.dir', dir: 'auto' }, form)
    },
    {
        name: 'charset', title: '`accept-charset` and `_charset_`', fill(form) {
            form.acceptCharset = 'windows-1252';
            for (const [name, value] of [['_charset_', ''], ['é', 'é€😀"']]) give(form, name, value);
            give(form, 'file', file('é😀.txt'));
        }
    },
    {
        name: 'custom', title: 'values of custom elements', fill(form) {
            make('held-value', { name: 'a' }, form).hold('text');
            make('held-value', { name: 'b' }, form).hold(file('of an element.txt'));
            make('held-value', { name: 'c' }, form).hold(filled([['d', '1'], ['e', file('in a form.txt')]]));
        }
    },
    {
        name: 'event', title: 'fields that a `formdata` listener adds', fill(form) {
            give(form, 'a', '1');
            form.addEventListener('formdata', ({ formData }) => {
                formData.append('b', 'added');
                formData.append('c', held(file('added.txt')));
                formData.append('d', held(file('added', '', [run(20)])));
            });
        }
    },
    { name: 'file', title: 'a file', fill: has(['a', 'before'], ['b', file('b.txt')], ['c', 'after']) },
    { name: 'files', title: 'two files in a field, and bytes of all values', fill: has(['a', [
        file('a.txt'), file('b.bin', '', [run(300), '\r\n--', '\0'])]]) },
    { name: 'filenames', title: 'files of awkward names', fill: has(...names.map(name => ['a', file(name)])) },
    { name: 'nameless', title: 'a file without a name', fill: has(['a', file('', '')]) },
    { name: 'emptyfile', title: 'a file without a byte', fill: has(['a', file('empty.bin', 'a/b', [])]) },
    { name: 'unchosen', title: 'a file field without a file', fill: form => make('input', { type: 'file', name: 'a' }, form) },
    { name: 'largefile', title: 'a file of 1 MB', fill: has(['a', file('large.bin', 'a/b', [run(megabyte)])]) },
    {
        name: 'submitter', title: 'a button with a value', fill(form, button) {
            give(form, 'a', '1');
            Object.assign(button, { name: 'button', value: 'é"' });
        }
    },
    {
        name: 'image', title: 'a button that is a picture', fill(form, button) {
            Object.assign(button, { type: 'image', name: 'image' });
        }, button: 'input'
    },
    {
        name: 'formaction', title: '`formaction`', needsSubmitter: true, fill(form, button, url) {
            give(form, 'a', '1');
            form.action = '/nowhere';
            button.setAttribute('formaction', url);
        }
    },
    {
        name: 'formenctype', title: '`formenctype`, another than the column', needsSubmitter: true,
        fill(form, button, url, encoding) {
            give(form, 'a', file('a.txt'));
            button.setAttribute('formenctype', enctypes[following[encoding]]);
        }
    },
    {
        name: 'formmethod', title: '`formmethod` POST in a form by GET', needsSubmitter: true, fill(form, button) {
            give(form, 'a', '1');
            form.method = 'get';
            button.setAttribute('formmethod', 'post');
        }
    },
    {
        name: 'formtarget', title: '`formtarget`', needsSubmitter: true, fill(form, button) {
            give(form, 'a', file('a.txt'));
            button.setAttribute('formtarget', form.target);
            form.target = 'nowhere';
        }
    },
    {
        name: 'get', title: 'a form by GET', fill(form) {
            form.method = 'get';
            give(form, 'a', 'é "1"\r');
            give(form, 'b', file('b.txt'));
        }
    },
];

const submissions = {
    click: (form, button) => button.click(),
    submit: form => form.submit(),
    requestSubmit: (form, button) => form.requestSubmit(button),
};

let frames = 0;

/// The time in milliseconds that a frame may stay empty after a later request was answered.
const patience = 6_000;

/// Resolves when a frame can be considered empty. A frame does not report a failed load, so the wait ends some time
/// after the response to a later request.
async function silence() {
    await fetch('worker.js', { cache: 'no-store' });
    await new Promise(done => setTimeout(done, patience));
    return 'nothing to see';
}

/// Submits a form to a frame and returns the content of the frame.
async function byForm(url, holding, submission, encoding) {
    const place = make('div', { style: 'position: absolute; left: -9999px' }, document.body);
    const frame = make('iframe', { name: `frame-${++frames}` }, place);
    const form = make('form', { action: url, method: 'post', enctype: enctypes[encoding], target: frame.name }, place);
    const button = make(holding.button ?? 'button', {}, form);
    holding.fill(form, button, url, encoding);
    const shown = new Promise(done => frame.addEventListener('load', () => {
        done(`shows ${frame.contentDocument?.documentElement.textContent ?? 'what cannot be read'}`);
    }, { once: true }));
    try {
        submissions[submission](form, button);
        return await Promise.race([shown, silence()]);
    } catch (error) {
        return error.name;
    } finally {
        place.remove();
    }
}
