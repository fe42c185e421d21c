// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The bodies that a script can send. The page and its worker load this file, and `make` runs where the body is sent.
// `fields` are the equivalent form fields, if a form can have them.
'use strict';

const megabyte = 1 << 20;
const run = (length, first = 0) => new Uint8Array(length).map((_, n) => (first + n * 7) % 251);
const text = 'é € 😀 \0 \ud800x\udc00 \r\n \r \n end';
const file = (name, type = 'text/plain', parts = ['of ', name]) => new File(parts, name, { type, lastModified: 0 });
const filled = fields => fields.reduce((form, field) => (form.append(...field), form), new FormData());

/// Names that are escaped in a multipart body or that are hard to transmit.
const names = ['a"b', 'a\r\nb', 'a\nb', 'a\rb', 'é € 😀', 'a%22b', 'a\\b', "a'b; filename=x", ' a '];
const breaks = ['a\rb', 'a\nb', 'a\r\nb', 'a\n\rb', '\r', '\n', '\r\n\r\n'];

const multipart = 'multipart/form-data';
const form = (name, title, make) => ({
    name, title, make: () => filled(make()), fields: make, enctype: multipart
});
const one = (name, title, make, more = {}) => ({ name, title, make, ...more });
const asField = value => ({ fields: () => [['field', value()]], enctype: multipart });

const kinds = [
    one('none', 'no body', () => undefined, { fields: () => [], enctype: 'application/x-www-form-urlencoded' }),
    one('null', '`null`', () => null),
    one('empty', 'empty string', () => '', asField(() => '')),
    one('ascii', 'string of ASCII', () => 'a=1&b=two words', asField(() => 'a=1&b=two words')),
    one('unicode', 'string with NUL, emoji, line breaks and lone surrogates', () => text, asField(() => text)),
    one('megabyte', 'string of 1 MB', () => 'aé€😀'.repeat(megabyte / 10), asField(() => 'aé€😀'.repeat(megabyte / 10))),
    one('limit', 'string of 64 KiB', () => 'x'.repeat(1 << 16), {
        beacon: 'what is under way at once shares a limit, and nobody tells when a beacon has ended'
    }),
    one('overlimit', 'string of 64 KiB and a byte', () => 'x'.repeat((1 << 16) + 1)),
    one('typed', 'string, with a `Content-Type`', () => '{"a":"é"}', { headers: { 'Content-Type': 'application/json' } }),
    one('charset', 'string, with a `Content-Type` of another charset', () => 'é', {
        headers: { 'Content-Type': 'text/plain;charset=iso-8859-1' }
    }),
    one('number', 'number', () => 42),
    one('object', 'object', () => ({ a: 1 })),
    one('put', 'string, by PUT', () => 'put é', { method: 'PUT' }),
    one('patch', 'string, by PATCH', () => 'patch é', { method: 'PATCH' }),
    one('delete', 'string, by DELETE', () => 'delete é', { method: 'DELETE' }),
    one('get', 'string, by GET', () => 'get é', { method: 'GET' }),
    one('buffer', 'ArrayBuffer', () => run(1000).buffer),
    one('emptybuffer', 'ArrayBuffer without a byte', () => new ArrayBuffer(0)),
    one('detached', 'ArrayBuffer that was given away', () => {
        const buffer = run(1000).buffer;
        structuredClone(buffer, { transfer: [buffer] });
        return buffer;
    }),
    one('resizable', 'Uint8Array of an ArrayBuffer that can grow', () => {
        const bytes = new Uint8Array(new ArrayBuffer(20, { maxByteLength: 40 }));
        return bytes.fill(7);
    }),
    one('uint8', 'Uint8Array that begins within its buffer', () => run(1000).subarray(100, 300)),
    one('int16', 'Int16Array', () => new Int16Array(run(1000).buffer, 10, 100)),
    one('float64', 'Float64Array', () => new Float64Array([0, -0, 1.5, NaN, Infinity])),
    one('dataview', 'DataView that begins within its buffer', () => new DataView(run(1000).buffer, 3, 333)),
    one('typedbuffer', 'ArrayBuffer, with a `Content-Type`', () => run(500).buffer, {
        headers: { 'Content-Type': 'application/octet-stream' }
    }),
    one('blob', 'Blob', () => new Blob([run(1000)]), asField(() => new Blob([run(1000)]))),
    one('typedblob', 'Blob with a type', () => new Blob([run(1000)], { type: 'Application/X-Test;A=B' }),
        asField(() => new Blob([run(1000)], { type: 'Application/X-Test;A=B' }))),
    one('emptyblob', 'Blob without a byte', () => new Blob([], { type: 'image/png' }),
        asField(() => new Blob([], { type: 'image/png' }))),
    one('parts', 'Blob of Blobs, buffers and strings', () =>
        new Blob(['é\n', run(10), new Blob(['in', run(5).buffer]), file('x')], { type: 'text/plain' })),
    one('slice', 'slice of a Blob', () => new Blob(['0123', run(1000), '6789']).slice(2, 1006, 'text/x-slice')),
    one('largeblob', 'Blob of 5 MB', () => new Blob([run(5 * megabyte)], { type: 'application/x-large' })),
    one('overridden', 'Blob with a type, and another `Content-Type`', () => new Blob(['a'], { type: 'image/png' }), {
        headers: { 'Content-Type': 'application/x-other' }
    }),
    one('file', 'File with an awkward name', () => file('a"b\nc é.png', 'image/png'),
        asField(() => file('a"b\nc é.png', 'image/png'))),
    one('query', 'URLSearchParams', () => new URLSearchParams([['a b', 'é&='], ['', '+%'], ['x', '\ud800\0\r\n~*']]), {
        fields: () => [['a b', 'é&='], ['', '+%'], ['x', '\ud800\0\r\n~*']], enctype: 'application/x-www-form-urlencoded'
    }),
    one('emptyquery', 'URLSearchParams without a pair', () => new URLSearchParams()),
    form('texts', 'FormData of text', () => [['a', '1'], ['a', '2'], ['é"', text], ['', 'no name']]),
    one('emptyform', 'FormData without a field', () => new FormData(), { fields: () => [], enctype: multipart }),
    form('breaks', 'FormData with line breaks in values and names', () =>
        breaks.flatMap(value => [['value', value], [value, 'name']])),
    form('formblob', 'FormData with Blobs', () => [
        ['a', new Blob([run(300)])], ['b', new Blob(['b'], { type: 'text/x-b' })]
    ]),
    form('formnamed', 'FormData with a Blob that is given a name', () => [['a', new Blob(['a']), 'given "é".bin']]),
    form('formfiles', 'FormData with Files of awkward names', () =>
        names.flatMap(name => [['file', file(name)], [name, file('plain.txt')]])),
    one('formelement', 'FormData of a `<form>` and its button', () => {
        const form = make('form');
        give(form, 'a', 'line\nbreak');
        give(form, 'b', [file('é".txt'), file('second.txt')]);
        return new FormData(form, make('button', { name: 'button', value: '1' }, form));
    }, { needsDocument: true }),
    form('formnameless', 'FormData with a File without a name', () => [['a', file('', '')]]),
    form('formemptyfile', 'FormData with a File without a byte', () => [['a', file('empty.bin', 'a/b', [])]]),
    form('formmixed', 'FormData of text and a File of 1 MB', () => [
        ['a', 'é'], ['b', file('large.bin', 'application/x-large', [run(megabyte)])], ['c', '']
    ]),
    one('document', 'Document of HTML', () =>
        new DOMParser().parseFromString('<p title=é>a&amp;b\n<br>', 'text/html'), { needsDocument: true }),
    one('xml', 'Document of XML', () =>
        new DOMParser().parseFromString('<?xml version="1.0"?><a é="1">b<c/>&lt;</a>', 'text/xml'), { needsDocument: true }),
    one('stream', 'ReadableStream', () => new ReadableStream({
        start(stream) {
            stream.enqueue(run(100));
            stream.close();
        }
    })),
];
