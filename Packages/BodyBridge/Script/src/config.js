// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What the container says when it injects the script: a name around it, or the literal in its place.

/* global CONTAINERKIT, FORCED */

/**
 * - token: known to the container and to this script, unguessable, and never shown to the page; the container puts one
 *   in its place that also proves a document's site
 * - mark: the name of the header field that tells the container of a request's body
 * - schemes: the container's schemes by those that they stand for, { https, http }
 * - hasCookies: whether `document.cookie` is the container's
 * - isWarmUp: in a world that no page has, and that does not last: it is run wherever that is
 * - id: in a worker, what its URL ends with that the page did not write
 * - again: from this script to the container, what to call when it comes again to the same world. The page may have
 *   changed that world: the container calls it by a name that nobody can take away, and the script does nothing else.
 */
export const config = CONTAINERKIT;

// `FORCED` is a constant of the bundle: false in what applications inject. In the other one, which is for tests, the script
// runs in documents of http and https, in a mode in which the engine loses nothing: there it makes bytes of bodies, says
// nothing of requests, and leads no URL elsewhere. Besides:
// - hasBodies: whether what sends bodies is the script's
