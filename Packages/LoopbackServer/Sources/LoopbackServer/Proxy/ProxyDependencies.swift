// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore

/// What the connections of a proxy have in common.
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

    // MARK: What a connection gets for the host that it asked for, in whichever protocol it asked

    /// The certificate of a host that is opened, which the engine trusts by now.
    func leaf(for host: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<LaunchAuthority.Leaf> {
        exchange.leaves.leaf(for: host, within: limits.patience, on: eventLoop)
    }

    /// Has a connection to an opened host answered by the loader. On its event loop.
    /// - Parameter leaf: what TLS is spoken with; `nil` for none.
    /// - Throws: also where the policy does not open the host any more.
    func open(_ channel: any Channel, to host: HostPort, with leaf: LaunchAuthority.Leaf?) throws {
        try tunnels.record(channel, to: host, isOpened: true)
        try exchange.serve(channel, .opened(host, isSecure: leaf != nil), with: leaf)
    }

    /// Whether a host that was to be passed to is opened by the time the dialer is through, and the engine was not
    /// answered yet. What the dialer made is closed then.
    func opens(_ host: HostPort, insteadOf dialed: Result<any Channel, any Error>) -> Bool {
        guard policy.opens(host) else { return false }
        if case .success(let upstream) = dialed { upstream.close(promise: nil) }
        return true
    }

    /// Has a connection pass end to end, to one that the dialer made for a host. On their event loop.
    /// - Throws: also where the policy opens the host by now.
    func join(_ client: any Channel, to host: any Channel, of name: HostPort) throws {
        client.closeFuture.whenComplete { _ in host.close(promise: nil) }
        try tunnels.record(client, to: name, isOpened: false)
        try TunnelEnd.join(client: client, host: host, pause: TimeAmount(limits.rest))
        host.setOption(.autoRead, value: true).whenFailure { _ in host.close(promise: nil) }
    }
}
