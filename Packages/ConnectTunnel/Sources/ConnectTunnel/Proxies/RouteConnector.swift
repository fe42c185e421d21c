// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore
public import NIOPosix
public import WebSyntax

/// Opens connections to hosts over routes: directly, or through proxies.
///
/// Nothing is read from a connection until `Channel.startReading()`. Connections have the close-on-exec flag, TCP
/// keep-alive and half-closure.
///
/// Isolation: any.
@_spi(Facade) public struct RouteConnector: Sendable {
    private let eventLoop: any EventLoop
    private let timeLimit: TimeAmount
    private let resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
    private let check: @Sendable (any Channel) throws -> Void

    /// Creates a connector.
    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - timeLimit: The time limit for all routes together.
    ///   - resolver: A closure that creates the resolver of the name of a host without a proxy; `nil` for the system's.
    ///     The system resolves the names of proxies. `localhost` and the names below it are resolved by neither.
    ///   - check: A closure that throws if a connection, to the host or a proxy, must not be used. It is called on the
    ///     event loop before bytes are sent.
    public init(
        on eventLoop: any EventLoop, timeLimit: Duration,
        resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil,
        check: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) {
        self.eventLoop = eventLoop
        self.timeLimit = TimeAmount(timeLimit)
        self.resolver = resolver
        self.check = check
    }

    /// Connects to a host. If a route fails, the next one is tried, each with an equal share of the remaining time.
    /// - Parameters:
    ///   - target: The host.
    ///   - routes: The routes in order; one at least.
    /// - Returns: A future channel of the bytes of the host. It fails with the error of the last route:
    ///   ``ProxyConnectError`` if a proxy opens no tunnel, an error of `check`, or an error of NIO.
    public func connect(to target: HostPort, over routes: [ProxyRoute]) -> EventLoopFuture<any Channel> {
        attempt(routes[...], target, until: .now() + timeLimit)
    }

    private func attempt(
        _ routes: ArraySlice<ProxyRoute>, _ target: HostPort, until end: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        guard let route = routes.first else {
            return eventLoop.makeFailedFuture(ProxyConnectError("no route to the host"))
        }
        let left = max(end - NIODeadline.now(), .milliseconds(1))
        let limit = TimeAmount.nanoseconds(left.nanoseconds / Int64(routes.count))
        let attempted = open(route, to: target, until: .now() + limit)
        let rest = routes.dropFirst()
        return rest.isEmpty ? attempted : attempted.flatMapError { _ in attempt(rest, target, until: end) }
    }

    private func open(
        _ route: ProxyRoute, to target: HostPort, until end: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        let handshake: ProxyHandshake?
        do {
            handshake = try ProxyHandshake(route, to: target)
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        let hop = route.proxy ?? target
        let own = route.proxy == nil ? resolver : nil
        let connecting = ClientBootstrap(group: eventLoop)
            .resolver(LocalhostResolver(hop, on: eventLoop) ?? own?(eventLoop))
            .connectTimeout(max(end - NIODeadline.now(), .milliseconds(1)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    channel.enableKeepAlive()
                }
            }
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .connect(host: hop.host, port: hop.port)
        return connecting.flatMap { channel in
            let opened = channel.eventLoop.makePromise(of: Void.self)
            do {
                try check(channel)
                if let handshake {
                    let handler = ProxyHandshakeHandler(
                        handshake, timeLimit: max(end - NIODeadline.now(), .zero), promise: opened)
                    try channel.pipeline.syncOperations.addHandler(handler)
                } else {
                    opened.succeed()
                }
            } catch {
                opened.fail(error)
            }
            return opened.futureResult.map { channel }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }
    }
}

/// A NIO resolver that returns the loopback addresses for `localhost` and the names below it.
private final class LocalhostResolver: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    /// Returns `nil` for another host.
    init?(_ target: HostPort, on eventLoop: any EventLoop) {
        guard let addresses = try? LocalhostAddresses.of(target.host, port: target.port) else { return nil }
        self.addresses = addresses
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
