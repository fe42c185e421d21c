// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import ResourceLoading
internal import WebSyntax

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

    /// Makes the loader serve an intercepted connection. Call this on the connection's event loop.
    /// - Parameter leaf: The certificate for TLS; `nil` for no TLS.
    /// - Throws: An error, also if the policy no longer intercepts the host.
    func open(_ channel: any Channel, to host: HostPort, with leaf: LaunchAuthority.Leaf?) throws {
        try tunnels.record(channel, to: host, isOpened: true)
        try exchange.serve(channel, .opened(host, isSecure: leaf != nil), with: leaf)
    }

    /// Connects to a host and relays the client's connection end to end. If the policy has changed before the host is
    /// connected, intercepts the client's connection instead.
    func tunnel(_ context: ChannelHandlerContext, to host: HostPort, for handler: any HostConnecting) {
        let bound = NIOLoopBound((handler, context), eventLoop: context.eventLoop)
        dialer.connect(to: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = bound.value
            guard handler.isWaiting, !policy.opens(host) else {
                if case .success(let upstream) = result { upstream.close(promise: nil) }
                if handler.isWaiting { handler.open(context, host) }
                return
            }
            switch result {
            case .success(let upstream):
                handler.replaceHandlers(context) { try join(context.channel, to: upstream, of: host) }
                // Bytes of the host must not pass the encoders of the proxy protocol, which are removed now.
                upstream.startReading().whenFailure { _ in upstream.close(promise: nil) }
            case .failure(let error): handler.fail(context, host, ResourceError(error))
            }
        }
    }

    /// Joins a client connection with a connection to the host, end to end. Call this on the event loop that both
    /// connections share.
    /// - Throws: An error, also if the policy intercepts the host now.
    private func join(_ client: any Channel, to host: any Channel, of name: HostPort) throws {
        client.closeFuture.whenComplete { _ in host.close(promise: nil) }
        try tunnels.record(client, to: name, isOpened: false)
        try TunnelEnd.join(client: client, host: host, pause: TimeAmount(limits.rest))
    }
}

/// A handler of a proxy protocol whose client has requested a connection to a host.
///
/// Isolation: the event loop of its channel.
protocol HostConnecting: AnyObject {
    /// A Boolean value that indicates whether the client still waits for the connection to the host.
    var isWaiting: Bool { get }

    /// Accepts the request and intercepts the connection.
    func open(_ context: ChannelHandlerContext, _ host: HostPort)

    /// Accepts the request and replaces the handlers of the proxy protocol.
    func replaceHandlers(_ context: ChannelHandlerContext, adding: () throws -> Void)

    /// Refuses the request after the connection to the host has failed.
    func fail(_ context: ChannelHandlerContext, _ host: HostPort, _ error: ResourceError)
}
