// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Nested frames. The container decides whether a document may be shown in a frame, but a request names only the page
// among the documents around the frame. So the document reports the other documents before any of its content is shown.

/* global FORCED */

import { ask } from "./channel.js";
import { location, stringify, world } from "./natives.js";

const { stop } = world;

export const checkFraming = () => {
  const { ancestorOrigins } = location;
  if (FORCED || !(ancestorOrigins?.length > 1)) return;
  const text = stringify({ __proto__: null, ...ancestorOrigins });
  if (ask("framed", { text }) === false) {
    stop();
    location.replace("about:blank");
  }
};
