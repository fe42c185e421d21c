// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Frames within frames. The container judges who may show a document, and a request names the page alone of the
// documents around a frame: so the document says the others, before anything of it is there.

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
