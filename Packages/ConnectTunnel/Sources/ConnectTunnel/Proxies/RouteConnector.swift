// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore
internal import NIOPosix
@_spi(Facade) public import WebSyntax

/// Opens connections to hosts over routes: directly, or through proxies.
///
/// Nothing is read from a connection until `Channel.startReading()`. Connections have the close-on-exec flag, TCP
/// keep-alive and half-closure.
///
/// Isolation: any.
@_spi(Facade) public struct RouteConnector: Sendable {
    private let eventLoop: any EventLoop
    private let timeLimit: TimeAmount
    private let addresses: (any AddressResolving)?
    private let check: @Sendable (any Channel) throws -> Void

    /// Creates a connector.
    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - timeLimit: The time limit for all routes together, look-ups included.
    ///   - addresses: The resolver of the names of hosts without a proxy; `nil` for the system's. The system resolves
    ///     the names of proxies, and those for which `resolves(_:)` returns `false`. `localhost` and the names below it
    ///     are resolved by neither.
    ///   - check: A closure that throws if a connection, to the host or a proxy, must not be used. It is called on the
    ///     event loop before bytes are sent.
    public init(
        on eventLoop: any EventLoop, timeLimit: Duration,
        addresses: (any AddressResolving)? = nil,
        check: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) {
        self.eventLoop = eventLoop
        self.timeLimit = TimeAmount(timeLimit)
        self.addresses = addresses
        self.check = check
    }

    /// Connects to a host. If a route fails, the next one is tried, each with an equal share of the remaining time.
    /// - Parameters:
    ///   - target: The host.
    ///   - routes: The routes in order; one at least.
    /// - Returns: A future channel of the bytes of the host. It fails with the error of the last route:
    ///   ``ProxyConnectError`` if a proxy opens no tunnel, ``AddressLookUpError`` or ``AddressRaceError`` for a name
    ///   that the system does not resolve, an error of `check`, or an error of NIO.
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
        let connecting = route.proxy.map { connect(to: $0, until: end) } ?? connectDirectly(to: target, until: end)
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

    /// Connects to an endpoint whose name the system resolves.
    private func connect(to hop: HostPort, until end: NIODeadline) -> EventLoopFuture<any Channel> {
        if HostSyntax.isLocalhost(hop.host[...].utf8) {
            return race(Self.loopback, of: hop, in: nil, until: end)
        }
        return bootstrap(until: end) { _ in }.connect(host: hop.host, port: hop.port)
    }

    private func connectDirectly(to target: HostPort, until end: NIODeadline) -> EventLoopFuture<any Channel> {
        guard let addresses, addresses.isUsed(for: target) else { return connect(to: target, until: end) }
        let known = addresses.knownAddresses(of: target.host).map { eventLoop.makeSucceededFuture($0) }
        let found = known ?? lookUp(target.host, in: addresses, until: end)
        return found.flatMap { found in
            guard !found.isEmpty else {
                return eventLoop.makeFailedFuture(AddressLookUpError("the host name has no address"))
            }
            return race(found, of: target, in: addresses, until: end)
        }
    }

    /// Connects to the addresses of a host. If they do not respond, the resolver is asked once more.
    private func race(
        _ found: [IPAddress], of target: HostPort, in addresses: (any AddressResolving)?, until end: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        eventLoop.flatSubmit {
            let further = addresses.map { addresses in
                { lookUp(target.host, in: addresses, until: end).map { $0.filter { !found.contains($0) } } }
            }
            return AddressRace.run(
                found, of: target, recordingIn: addresses, on: eventLoop, until: end, lookUp: further
            ) { address, opening in
                // The race ends its attempts itself. The time limit of a channel must not end one of them before that.
                bootstrap(until: end + .seconds(1), opening: opening).connect(to: address)
            }
        }
    }

    /// Looks up the addresses of a host. The time limit ends the look-up even if the resolver ignores cancellation.
    private func lookUp(
        _ host: String, in addresses: any AddressResolving, until end: NIODeadline
    ) -> EventLoopFuture<[IPAddress]> {
        let promise = eventLoop.makePromise(of: [IPAddress].self)
        let lookUp = Task { try await addresses.addresses(of: host) }
        let limit = eventLoop.scheduleTask(deadline: end) {
            promise.fail(AddressLookUpError("the host name look-up took too long", isTimedOut: true))
            lookUp.cancel()
        }
        // NIO ignores the completion of a promise that is complete.
        eventLoop.makeFutureWithTask { try await lookUp.value }.whenComplete { result in
            limit.cancel()
            switch result {
            case .success(let found): promise.succeed(found)
            case .failure(let error):
                promise.fail(AddressLookUpError("the host name could not be looked up", cause: error))
            }
        }
        return promise.futureResult
    }

    /// Returns the bootstrap of a connection.
    /// - Parameter opening: A closure that receives the channel, on the event loop and before it connects.
    private func bootstrap(
        until end: NIODeadline, opening: @escaping @Sendable (any Channel) -> Void
    ) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(max(end - NIODeadline.now(), .milliseconds(1)))
            .channelInitializer { channel in
                opening(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    channel.enableKeepAlive()
                }
            }
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
    }

    /// The addresses of `localhost` and the names below it (RFC 6761, section 6.3). Engines never send these names to a
    /// resolver: another computer could then answer for a name that pages and apps trust like this one.
    private static let loopback = ["::1", "127.0.0.1"].compactMap { IPAddress($0) }
}

/// The error of a look-up of a host name.
@_spi(Facade) public struct AddressLookUpError: Error, CustomStringConvertible {
    /// The message, on one line.
    public let description: String
    /// The error of the resolver; `nil` if it has returned no address, or nothing before the time limit.
    public let cause: (any Error)?
    /// A Boolean value that indicates whether the resolver has returned nothing before the time limit.
    public let isTimedOut: Bool

    /// Creates an error.
    public init(_ description: String, cause: (any Error)? = nil, isTimedOut: Bool = false) {
        self.description = description
        self.cause = cause
        self.isTimedOut = isTimedOut
    }
}
