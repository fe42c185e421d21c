// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// multipart/form-data, as the HTML standard encodes it: "multipart/form-data encoding algorithm" (form control
// infrastructure), for UTF-8.

import { newID } from "./channel.js";
import { blobSize, blobType, fileName, formForEach, isBlob, replace, slice, utf8 } from "./natives.js";

/** Of 64 random bits: no page has seen it when it makes its form. */
const newBoundary = () => `----WebKitFormBoundary${slice(newID(), 16)}`;

/** Line ends as CR LF. */
const normalised = (text) => replace(text, /\r\n|\r|\n/g, "\r\n");

const escaped = (text) => replace(replace(replace(text, /\n/g, "%0A"), /\r/g, "%0D"), /"/g, "%22");

/**
 * The parts of a form: bytes, and Blobs that are still to be read.
 * The boundary is the engine's, where it has said one already. Returns { kind, parts, size }, with the kind for
 * `Content-Type`, and the size of the whole in bytes.
 */
export const encodeForm = (form, boundary = newBoundary()) => {
  const parts = [];
  let size = 0;
  const put = (part, length) => {
    parts[parts.length] = part;
    size += length;
  };
  const putText = (text) => {
    const bytes = utf8(text);
    put(bytes, bytes.length);
  };
  formForEach(form, (value, name) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(normalised(name))}"`;
    if (!isBlob(value)) return putText(`${head}\r\n\r\n${normalised(value)}\r\n`);
    const type = blobType(value) || "application/octet-stream";
    putText(`${head}; filename="${escaped(fileName(value))}"\r\nContent-Type: ${type}\r\n\r\n`);
    put(value, blobSize(value));
    putText("\r\n");
  });
  putText(`--${boundary}--\r\n`);
  return { kind: `multipart/form-data; boundary=${boundary}`, parts, size };
};
