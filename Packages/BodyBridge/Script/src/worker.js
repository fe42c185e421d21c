// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The script that leads a worker's script.

import { disguise } from "./disguise.js";
import { patchFetch } from "./fetch.js";
import { patchLocation, patchWorkers } from "./workers.js";
import { patchXHR } from "./xhr.js";

disguise();
patchLocation();
patchFetch();
patchXHR();
patchWorkers();
