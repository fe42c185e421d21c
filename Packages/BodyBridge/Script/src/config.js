// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The configuration that the container passes when it injects the script: a parameter of an enclosing function, or a
// literal.

/* global CONTAINERKIT, FORCED */

/**
 * The configuration:
 * - token: the secret shared by the container and this script, which the page never sees; the container replaces it by
 *   one that also proves a document's site
 * - mark: the name of the header field of the bridge header
 * - schemes: the container's schemes by the schemes that they represent: { https, http }, and the aliases of https
 * - hasCookies: whether the script replaces `document.cookie`
 * - isWarmUp: whether the script runs in a temporary world without a page; it then runs at any URL
 * - id: in a worker, the id that this script of the page has appended to the worker's URL
 * - again: the function that the script provides for the container, to call when the script is injected again into the
 *   same world. The page may have changed that world, so the container calls the function by a name that cannot be
 *   removed, and the script does nothing else.
 */
export const config = CONTAINERKIT;

// `FORCED` is a constant of the bundle. It is false in the bundle for apps. In the test bundle the script runs in
// documents of http and https, in a mode in which the engine loses nothing. There it converts bodies to bytes, sends no
// bridge headers, and does not change URLs. An additional member:
// - hasBodies: whether the script replaces the functions that send bodies
