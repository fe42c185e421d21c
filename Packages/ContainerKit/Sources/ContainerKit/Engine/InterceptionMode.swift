// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a page's requests reach the container.
public enum InterceptionMode: String, Sendable, Hashable, CaseIterable {
    /// Not at all: the page loads as if the container were not there.
    case plain
    /// Through a scheme handler, at `<scheme>://host/…`.
    case customScheme = "scheme"
    /// By a proxy on this machine that the engine uses and nobody else may: the page keeps its true https origin.
    case loopbackProxy = "proxy"
}
