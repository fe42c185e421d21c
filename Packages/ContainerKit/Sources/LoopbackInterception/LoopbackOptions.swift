// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import LoopbackServer

/// The options of the proxy of the mode `loopbackProxy` and of the server of the mode `loopbackServer`.
public struct LoopbackOptions: Sendable {
    /// The port of the local server, 1024 to 65535; the proxy needs none. By default the port is chosen at the first
    /// launch and stored in the container's folder, because it is part of the origin of the pages, and so of their
    /// storage.
    public var port: Int?
    /// Another HTTP proxy, for connections that pass end to end and for those that change their protocol; none by
    /// default. Requests use the container's transport, which has a proxy of its own.
    public var upstreamProxy: HostPort?
    /// Certificates (PEM) that connections of WebSockets to intercepted hosts trust; the system's by default.
    public var trustRoots: [String]?
    /// The limits of the proxy or the server.
    public var limits = LoopbackLimits()

    /// Creates the default options.
    public init() {}
}
