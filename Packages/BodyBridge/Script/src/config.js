// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What the container says when it injects the script: the literal takes the place of the name.

/* global CONTAINERKIT */

/**
 * - token: known to the container and to this script, unguessable, and never shown to the page
 * - mark: the name of the header field that tells the container of a request's body
 * - schemes: the container's schemes by those that they stand for, { https, http }
 * - tokenLength: how long that is
 * - hasCookies: whether `document.cookie` is the container's
 *
 * In a worker the token comes in the worker's name, since a page could read the text of a worker.
 */
export const config = CONTAINERKIT;
