// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Which bodies the engine carries to the container itself, and how the others get there.
//
// The engine hands over plain bytes. What holds a Blob it loses, and to ask it for that ends the app: so the container
// asks for a body only where the mark of the request says that it is plain. Others go into the container's store, piece
// by piece, and the request carries their id.

import { ask, newID, store } from "./channel.js";
import { build, wrapConstructor } from "./disguise.js";
import {
  Blob, URL, Uint8Array, WeakMap, XMLHttpRequest, blobBytes, blobSize, blobSlice, blobType, charCodeAt,
  formForEach, isBlob, isForm, matched, setBytes, subarray, utf8, weakGet, weakSet, world, xhrMimeType, xhrOpen,
  xhrSend, xhrText,
} from "./natives.js";
import { encodeForm } from "./multipart.js";

const { createObjectURL, revokeObjectURL } = URL;
const pieceLength = 1 << 20;

/** What may be under way when a page goes, in bytes (Beacon, section 3.1; Fetch, "HTTP-network-or-cache fetch"). */
export const keepaliveLimit = 64 << 10;

/** Whether a request of this method has no body. */
export const isBodyless = (verb) => verb === "GET" || verb === "HEAD";

/** Whether a form's entries hold a Blob. */
const holdsFiles = (form, found) => {
  formForEach(form, (value) => { found ||= isBlob(value); });
  return found;
};

/**
 * What the engine would lose of a body: { kind, parts, size }, with an empty kind where the body has none; nothing
 * where the engine keeps all of it. A form's boundary is that of its `Content-Type`, where that has one.
 */
export const lost = (body, contentType) => {
  if (isBlob(body)) return { kind: blobType(body), parts: [body], size: blobSize(body) };
  if (!isForm(body) || !holdsFiles(body)) return undefined;
  return encodeForm(body, matched(/boundary=(-{4}WebKitFormBoundary\w{16})$/, contentType ?? "")?.[1]);
};

/** How many bytes the engine sends of a body that it keeps. */
export const sizeOf = (body) => {
  if (body === undefined || body === null) return 0;
  // A Blob takes bytes and text as a request does, and all else as text.
  return isForm(body) ? encodeForm(body).size : blobSize(new Blob([body]));
};

/** Feeds the parts to the container under an id. Where a Blob cannot be read, the request that waits for it fails. */
const feed = async (id, { parts, size }, progress) => {
  let offset = 0;
  let used = 0;
  // Small parts go together: for each piece the container copies its process.
  const piece = new Uint8Array(size < pieceLength ? size : pieceLength);
  const flush = async () => {
    await store(id, offset, subarray(piece, 0, used));
    offset += used;
    used = 0;
    progress?.(offset);
  };
  const put = async (bytes) => {
    for (let at = 0; at < bytes.length;) {
      const part = subarray(bytes, at, at + piece.length - used);
      setBytes(piece, part, used);
      at += part.length;
      used += part.length;
      if (used === piece.length) await flush();
    }
  };
  try {
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (!isBlob(part)) {
        await put(part);
        continue;
      }
      const length = blobSize(part);
      for (let at = 0; at < length; at += pieceLength) {
        const slice = blobSlice(part, at, at + pieceLength);
        let bytes;
        try { bytes = new Uint8Array(await blobBytes(slice)); } catch {
          // While another navigation is on its way, WebKit reads a Blob for a synchronous request alone.
          bytes = bytesOf({ parts: [slice], size: blobSize(slice) });
        }
        await put(bytes);
      }
    }
    if (used) await flush();
  } catch {
    ask("drop", { id });
  }
};

/**
 * What is said of a body that goes by the store: `words`, for the mark of its request, and `begin`, which hands it over
 * and tells how far that is.
 */
export const handOver = (body) => {
  const id = newID();
  return { words: `take ${id} ${body.size}`, begin: (progress) => { feed(id, body, progress); } };
};

/** The bytes of short Blobs that were made of a text. */
const texts = new WeakMap();

/** While a page goes the engine lets it read no Blob: but what it sends then it has mostly made of a text. */
export const patchBlob = () => {
  wrapConstructor("Blob", (original, args, newTarget) => {
    const blob = build(original, args, newTarget);
    const size = blobSize(blob);
    const text = size > 0 && size <= keepaliveLimit && args[0].length === 1 && args[0][0];
    if (typeof text === "string") {
      const bytes = utf8(text);
      if (bytes.length === size) weakSet(texts, blob, bytes);
    }
    return blob;
  });
  // `setPrototypeOf(File, …)` takes WebKit 4.5 ms at each document's start, measured; a trap costs nothing.
  const { Blob: inherited } = world;
  wrapConstructor("File", build, { getPrototypeOf: () => inherited });
};

/** The bytes of a body at once, for those who cannot wait; nothing where the page, or a policy, forbids to read Blobs. */
export const bytesOf = (body) => {
  const known = weakGet(texts, body.parts[0]);
  if (known && body.parts.length === 1) return known;
  const whole = new Blob(body.parts);
  const url = createObjectURL(whole);
  try {
    const request = new XMLHttpRequest();
    xhrOpen(request, "GET", url, false);
    xhrMimeType(request, "text/plain; charset=x-user-defined");
    xhrSend(request);
    const text = xhrText(request);
    const bytes = new Uint8Array(text.length);
    // Bytes above 0x7F come as U+F780 and on.
    for (let index = 0; index < text.length; index++) bytes[index] = charCodeAt(text, index);
    return text.length === body.size ? bytes : undefined;
  } catch {} finally {
    revokeObjectURL(url);
  }
};
