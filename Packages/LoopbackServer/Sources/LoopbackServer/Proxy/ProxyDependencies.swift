// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore

/// The shared dependencies of the connections of a proxy.
struct ProxyDependencies: Sendable {
    static let challenge = "Basic realm=\"container\""

    let exchange: ExchangeDependencies
    let policy: any InterceptPolicy
    let credentials: ProxyCredentials
    let tunnels: TunnelTable

    init(exchange: ExchangeDependencies, policy: any InterceptPolicy, credentials: ProxyCredentials) {
        self.exchange = exchange
        self.policy = policy
        self.credentials = credentials
        tunnels = TunnelTable(policy)
    }

    var dialer: Dialer { exchange.dialer }
    var limits: LoopbackLimits { exchange.limits }

    func happened(_ event: LoopbackEvent) { exchange.happened(event) }
    func refused(_ reason: LoopbackRefusal) { exchange.refused(reason) }

    // MARK: Connections to a host, independent of the proxy protocol

    /// Returns the certificate of an intercepted host after the engine trusts it.
    func leaf(for host: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<LaunchAuthority.Leaf> {
        exchange.leaves.leaf(for: host, within: limits.patience, on: eventLoop)
    }

    /// Makes the loader serve an intercepted connection. Call this on its event loop.
    /// - Parameter leaf: The certificate for TLS; `nil` for no TLS.
    /// - Throws: An error, also if the policy no longer intercepts the host.
    func open(_ channel: any Channel, to host: HostPort, with leaf: LaunchAuthority.Leaf?) throws {
        try tunnels.record(channel, to: host, isOpened: true)
        try exchange.serve(channel, .opened(host, isSecure: leaf != nil), with: leaf)
    }

    /// Returns a Boolean value that indicates whether the policy intercepts the host now, after the dialer has
    /// connected for a tunnel but before the client was answered. In that case the dialed connection is closed.
    func opens(_ host: HostPort, insteadOf dialed: Result<any Channel, any Error>) -> Bool {
        guard policy.opens(host) else { return false }
        if case .success(let upstream) = dialed { upstream.close(promise: nil) }
        return true
    }

    /// Joins a client connection with a connection to the host, end to end. Call this on their event loop.
    /// - Throws: An error, also if the policy intercepts the host now.
    func join(_ client: any Channel, to host: any Channel, of name: HostPort) throws {
        client.closeFuture.whenComplete { _ in host.close(promise: nil) }
        try tunnels.record(client, to: name, isOpened: false)
        try TunnelEnd.join(client: client, host: host, pause: TimeAmount(limits.rest))
        host.setOption(.autoRead, value: true).whenFailure { _ in host.close(promise: nil) }
    }
}
