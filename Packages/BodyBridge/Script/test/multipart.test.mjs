// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import assert from "node:assert/strict";
import test from "node:test";
import "./world.mjs";

const { encodeForm } = await import("../src/multipart.js");

const bytesOf = async ({ parts }) => Buffer.from(await new Blob(parts).arrayBuffer());
const textOf = async (body) => (await bytesOf(body)).toString("utf8");

const form = (...entries) => {
  const form = new FormData();
  for (const entry of entries) form.append(...entry);
  return form;
};

test("a form is encoded as the HTML standard specifies", async () => {
  const body = encodeForm(form(["a", "1"], ["ü\"\r\n", "x\ny\rz\r\n"], ["f", new File(["data"], "a\"\n.txt", { type: "text/x" })]), "B");
  assert.equal(body.kind, "multipart/form-data; boundary=B");
  assert.equal(await textOf(body), [
    "--B", 'Content-Disposition: form-data; name="a"', "", "1",
    "--B", 'Content-Disposition: form-data; name="ü%22%0D%0A"', "", "x\r\ny\r\nz\r\n",
    "--B", 'Content-Disposition: form-data; name="f"; filename="a%22%0A.txt"', "Content-Type: text/x", "", "data",
    "--B--", "",
  ].join("\r\n"));
  assert.equal(body.size, (await bytesOf(body)).length);
});

test("a file without a type is an octet stream; an empty form is only the closing boundary", async () => {
  assert.match(await textOf(encodeForm(form(["f", new Blob(["x"]), "n"]))), /\r\nContent-Type: application\/octet-stream\r\n/);
  assert.equal(await textOf(encodeForm(form(), "B")), "--B--\r\n");
});

test("boundaries differ and have the engine's form", () => {
  const boundaries = new Set(Array.from({ length: 100 }, () => encodeForm(form()).kind));
  assert.equal(boundaries.size, 100);
  for (const type of boundaries) assert.match(type, /^multipart\/form-data; boundary=----WebKitFormBoundary[A-Za-z0-9]{16}$/);
});

// Encodes random forms, and decodes them with an independent parser. FUZZ_SECONDS extends the run.
test("an encoded form decodes to the same entries", async (context) => {
  const alphabet = ["a", "é", "😀", "\"", "%22", "=", ";", "-", "--", "\0", "\t", " ", "\ud800", "&", "\\", "'", "\n", "\r", "\r\n"];
  const until = Date.now() + 1000 * (process.env.FUZZ_SECONDS ?? 0);
  let seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1e9);
  const begin = seed;
  const random = (count) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % count;
  };
  const text = () => Array.from({ length: random(9) }, () => alphabet[random(alphabet.length)]).join("");
  const wellFormed = (text) => Buffer.from(text).toString();
  const normalised = (text) => wellFormed(text).replace(/\r\n|\r|\n/g, "\r\n");
  let rounds = 0;
  do {
    const entries = Array.from({ length: random(6) }, () => random(2)
      ? [text(), text()]
      : [text(), new File([text(), new Uint8Array(random(50)).map(() => random(256))], `f${text()}`, { type: random(2) ? "image/x" : "" })]);
    const body = encodeForm(form(...entries));
    const bytes = await bytesOf(body);
    assert.equal(bytes.length, body.size, `seed ${begin}`);
    const boundary = body.kind.split("boundary=")[1];
    const parts = bytes.toString("latin1").split(`--${boundary}`);
    assert.equal(parts.length, entries.length + 2, `seed ${begin}`);
    assert.equal(parts.at(-1), "--\r\n", `seed ${begin}`);
    for (let index = 0; index < entries.length; index++) {
      const [name, value] = entries[index];
      const part = parts[index + 1];
      const end = part.indexOf("\r\n\r\n");
      const head = Buffer.from(part.slice(2, end), "latin1").toString("utf8").split("\r\n");
      const content = Buffer.from(part.slice(end + 4, -2), "latin1");
      const read = /^Content-Disposition: form-data; name="([^"\r\n]*)"(?:; filename="([^"\r\n]*)")?$/.exec(head[0]);
      assert.ok(read, `seed ${begin}: ${JSON.stringify(head)}`);
      const escaped = (text) => text.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
      assert.equal(read[1], escaped(normalised(name)), `seed ${begin}`);
      if (typeof value === "string") {
        assert.equal(head.length, 1, `seed ${begin}`);
        assert.equal(content.toString("utf8"), normalised(value), `seed ${begin}`);
      } else {
        assert.equal(head[1], `Content-Type: ${value.type || "application/octet-stream"}`, `seed ${begin}`);
        assert.equal(read[2], escaped(wellFormed(value.name)), `seed ${begin}`);
        assert.deepEqual(content, Buffer.from(await value.arrayBuffer()), `seed ${begin}`);
      }
    }
    rounds++;
  } while (Date.now() < until || rounds < 300);
  context.diagnostic(`forms: ${rounds}`);
});
