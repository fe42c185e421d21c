// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import LoopbackServer

/// How the proxy of the mode `loopbackProxy` works.
public struct ProxyOptions: Sendable {
    /// Another HTTP proxy, for connections that pass end to end, and for those that become another protocol; none by
    /// default. Requests go by the container's transport, which has a proxy of its own.
    public var upstreamProxy: HostPort?
    /// Certificates (PEM) that connections of WebSockets to opened hosts trust; the system's by default.
    public var trustRoots: [String]?
    /// What the proxy takes at most.
    public var limits = InterceptingProxy.Limits()

    /// The defaults.
    public init() {}
}
