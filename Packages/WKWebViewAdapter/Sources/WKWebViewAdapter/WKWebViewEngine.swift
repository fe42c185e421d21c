// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebKit
#endif
