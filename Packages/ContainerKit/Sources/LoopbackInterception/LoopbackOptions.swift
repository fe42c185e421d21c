// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import LoopbackServer
public import WebSyntax

/// The options of the proxy of the mode `loopbackProxy` and of the server of the mode `loopbackServer`.
public struct LoopbackOptions: Sendable {
    /// The port of the local server, 1024 to 65535. The proxy does not use it. By default a port is chosen at the first
    /// launch and stored in the container's directory. It is part of the origin of the pages, so a change would
    /// separate the pages from their storage.
    public var port: Int?
    /// The upstream HTTP proxy for tunnelled connections and for protocol upgrades, in place of the proxies of the
    /// system; none by default. Other requests use the container's transport, which has its own proxy setting.
    public var upstreamProxy: HostPort?
    /// The limits of the proxy or the server.
    public var limits = LoopbackLimits()

    /// Creates the default options.
    public init() {}
}
