// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The bodies that the engine delivers to the container, and the transfer of all other bodies.
//
// The engine delivers plain bytes. It loses bodies that contain a Blob, and reading such a body from the engine crashes
// the app. So the container reads a body from the engine only if the bridge header states that it is plain. Other
// bodies are sent in pieces to the container's store, and the request carries their id.

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

/**
 * The maximum size of bodies in progress when a page closes, in bytes (Beacon, section 3.1; Fetch,
 * "HTTP-network-or-cache fetch").
 */
export const keepaliveLimit = 64 << 10;

/** Returns whether requests of this method have no body. */
export const isBodyless = (verb) => verb === "GET" || verb === "HEAD";

/** Returns whether the entries of a form contain a Blob. */
const holdsFiles = (form, found) => {
  formForEach(form, (value) => { found ||= isBlob(value); });
  return found;
};

/**
 * Returns the body that the engine would lose, as { kind, parts, size }, with an empty kind if the body has no type.
 * Returns undefined if the engine keeps the body. The boundary of a form is that of its `Content-Type`, if it has one.
 */
export const lost = (body, contentType) => {
  if (isBlob(body)) return { kind: blobType(body), parts: [body], size: blobSize(body) };
  if (!isForm(body) || !holdsFiles(body)) return undefined;
  return encodeForm(body, matched(/boundary=(-{4}WebKitFormBoundary\w{16})$/, contentType ?? "")?.[1]);
};

/** Returns the number of bytes that the engine sends for a body that it keeps. */
export const sizeOf = (body) => {
  if (body === undefined || body === null) return 0;
  // The Blob constructor treats bytes and text as a request does, and converts other values to text.
  return isForm(body) ? encodeForm(body).size : blobSize(new Blob([body]));
};

/** Sends the parts to the container under an id. If a Blob cannot be read, the request that waits for it fails. */
const feed = async (id, { parts, size }, progress) => {
  let offset = 0;
  let used = 0;
  // Small parts are combined, because each piece costs the container a copy between processes.
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
          // While another navigation is in progress, WebKit reads a Blob only for a synchronous request.
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
 * Prepares the transfer of a body through the store. Returns `words` for the bridge header of its request, and `begin`,
 * which starts the transfer and reports its progress.
 */
export const handOver = (body) => {
  const id = newID();
  return { words: `take ${id} ${body.size}`, begin: (progress) => { feed(id, body, progress); } };
};

/** The bytes of short Blobs that were made from a string. */
const texts = new WeakMap();

/**
 * Saves the bytes of each short Blob that is made from a string. While a page is closing, the engine does not let the
 * page read a Blob, and most Blobs that are sent then were made from a string.
 */
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

/** Returns the bytes of a body synchronously, or undefined if the page's state or a policy forbids reading Blobs. */
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
    // Bytes above 0x7F are decoded as U+F780 and following.
    for (let index = 0; index < text.length; index++) bytes[index] = charCodeAt(text, index);
    return text.length === body.size ? bytes : undefined;
  } catch {} finally {
    revokeObjectURL(url);
  }
};
