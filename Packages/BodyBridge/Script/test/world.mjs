// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The part of a page's world that the modules need when they are loaded. A real engine tests the rest.

import buffer from "node:buffer";
import { webcrypto } from "node:crypto";

globalThis.File ??= buffer.File;
globalThis.crypto ??= webcrypto;
globalThis.FORCED = false;
globalThis.CONTAINERKIT = {
  schemes: { https: "app", http: "app-http", page: "app", assets: "app" },
  token: "t".repeat(32), mark: "Test-Mark", hasCookies: true,
};
globalThis.location ??= { href: "app://shop.example/a/page", protocol: "app:" };
globalThis.origin ??= "app://shop.example";
