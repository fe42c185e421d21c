// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// multipart/form-data, as the HTML standard encodes it for UTF-8 ("multipart/form-data encoding algorithm", form
// control infrastructure).

import { newID } from "./channel.js";
import { blobSize, blobType, fileName, formForEach, isBlob, replace, slice, utf8 } from "./natives.js";

/** Returns a boundary of 64 random bits, which no page can know when it makes its form. */
const newBoundary = () => `----WebKitFormBoundary${slice(newID(), 16)}`;

/** Returns the text with line ends as CR LF. */
const normalised = (text) => replace(text, /\r\n|\r|\n/g, "\r\n");

const escaped = (text) => replace(replace(replace(text, /\n/g, "%0A"), /\r/g, "%0D"), /"/g, "%22");

/**
 * Encodes a form as parts: bytes, and Blobs that have not been read. The boundary is that of the engine, if it has
 * chosen one already. Returns { kind, parts, size }, with the value of `Content-Type` and the total size in bytes.
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
