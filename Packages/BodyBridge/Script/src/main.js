// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The script of pages. It installs its functions in documents of the container's schemes and leaves other documents
// unchanged. It runs once in each world, however often it is injected.

/* global FORCED */

import { patchAddresses } from "./addresses.js";
import { patchBeacon } from "./beacon.js";
import { config } from "./config.js";
import { patchCookies } from "./cookies.js";
import { disguise } from "./disguise.js";
import { patchFetch } from "./fetch.js";
import { listenToForms, patchForms } from "./forms.js";
import { checkFraming } from "./framing.js";
import { location } from "./natives.js";
import { home, isOurs } from "./urls.js";
import { patchWorkers } from "./workers.js";
import { patchXHR } from "./xhr.js";

// A frame without its own URL has the origin of the page that made it.
if (config.isWarmUp || isOurs(location.href) || isOurs(home)) {
  disguise();
  if (!FORCED || config.hasBodies) {
    patchFetch();
    patchXHR();
    patchBeacon();
    patchForms();
    // `document.open()` removes listeners.
    config.again = listenToForms;
    patchWorkers();
    patchAddresses();
  }
  if (config.hasCookies) patchCookies();
  checkFraming();
}
