// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The script that runs in a worker before the worker's own script.

import { disguise } from "./disguise.js";
import { patchFetch } from "./fetch.js";
import { patchLocation, patchWorkers } from "./workers.js";
import { patchXHR } from "./xhr.js";

disguise();
patchLocation();
patchFetch();
patchXHR();
patchWorkers();
