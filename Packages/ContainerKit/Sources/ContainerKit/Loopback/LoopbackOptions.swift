// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import LoopbackServer

/// How the proxy of the mode `loopbackProxy` works, and the server of the mode `loopbackServer`.
public struct LoopbackOptions: Sendable {
    /// The port of the local server, 1024 to 65535. By default one that is chosen at the first launch and kept in the
    /// container's folder: it is part of the origin of the pages, and so of what they have stored. The proxy needs none.
    public var port: Int?
    /// Another HTTP proxy, for connections that pass end to end, and for those that become another protocol; none by
    /// default. Requests go by the container's transport, which has a proxy of its own.
    public var upstreamProxy: HostPort?
    /// Certificates (PEM) that connections of WebSockets to opened hosts trust; the system's by default.
    public var trustRoots: [String]?
    /// What the proxy or the server takes at most.
    public var limits = LoopbackLimits()

    /// The defaults.
    public init() {}
}
