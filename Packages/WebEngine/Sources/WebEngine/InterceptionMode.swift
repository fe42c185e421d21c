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
    /// At `https://<site>.localhost:<port>`, where a server on this machine serves this engine and nobody else: for
    /// engines that have neither scheme handlers nor a proxy. What is different for the pages stands in the
    /// documentation.
    case loopbackServer = "server"

    /// A Boolean value that indicates whether requests come without the page that sent them, so that all pages share their
    /// generations.
    public var isOverLoopback: Bool { self == .loopbackProxy || self == .loopbackServer }
}
