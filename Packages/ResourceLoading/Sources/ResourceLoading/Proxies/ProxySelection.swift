// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The source of the proxies for the container's own connections.
public enum ProxySelection: Sendable {
    /// The settings of the system, as the engine reads them.
    case system
    /// No proxies: all connections are direct.
    case none
    /// A resolver of the app, in place of the system's settings. ``SystemProxies`` describes the rules that hold for
    /// it too.
    case resolver(any ProxyResolving)
}
