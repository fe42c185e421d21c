// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import WebSyntax

/// A race between the addresses of a host: connects to them in their order, a little apart, and keeps the first
/// connection (RFC 8305, section 5).
///
/// Isolation: one event loop, which is also that of the connections.
final class AddressRace {
    /// A closure that connects to an address and passes the channel on before that.
    typealias Connect = (SocketAddress, _ opening: @escaping Opening) -> EventLoopFuture<any Channel>
    typealias Opening = @Sendable (any Channel) -> Void

    private static let maxAddresses = 16
    /// The time between two attempts.
    private static let attemptDelay = TimeAmount.milliseconds(250)
    private let addresses: [IPAddress]
    private let target: HostPort
    private let resolver: (any AddressResolving)?
    private let connect: Connect
    private let promise: EventLoopPromise<any Channel>
    private var state: AddressRaceState
    /// The channels of the attempts in progress.
    private var channels: [Int: any Channel] = [:]
    private var failures: [(number: Int, error: any Error)] = []
    private var winner: (any Channel)?
    private let beginning: NIODeadline
    private var delay: Scheduled<Void>?
    private var limit: Scheduled<Void>?

    private init(
        _ addresses: [IPAddress], of target: HostPort, recordingIn resolver: (any AddressResolving)?,
        promise: EventLoopPromise<any Channel>, connect: @escaping Connect
    ) {
        self.addresses = Array(addresses.prefix(Self.maxAddresses))
        self.target = target
        self.resolver = resolver
        self.promise = promise
        self.connect = connect
        beginning = promise.futureResult.eventLoop.now
        state = AddressRaceState(count: self.addresses.count)
    }

    /// Runs a race. Call this on the event loop.
    ///
    /// At the end the resolver receives the outcomes: that of the winner, and a failure for each address that has
    /// failed or did not respond before the time limit. It receives none if this device has no network.
    /// - Parameters:
    ///   - addresses: The addresses in their order; one at least. The first 16 are tried.
    ///   - target: The host.
    ///   - resolver: The resolver of the addresses; `nil` for none.
    ///   - end: The time limit.
    /// - Returns: A future channel that fails with ``AddressRaceError``.
    static func run(
        _ addresses: [IPAddress], of target: HostPort, recordingIn resolver: (any AddressResolving)?,
        on eventLoop: any EventLoop, until end: NIODeadline, connect: @escaping Connect
    ) -> EventLoopFuture<any Channel> {
        let promise = eventLoop.makePromise(of: (any Channel).self)
        let race = AddressRace(addresses, of: target, recordingIn: resolver, promise: promise, connect: connect)
        let me = NIOLoopBound(race, eventLoop: eventLoop)
        race.limit = eventLoop.scheduleTask(deadline: end) { me.value.receive(.timedOut) }
        race.receive(.began)
        return promise.futureResult
    }

    private func receive(_ event: AddressRaceState.Event) {
        let me = NIOLoopBound(self, eventLoop: promise.futureResult.eventLoop)
        for step in state.receive(event) {
            switch step {
            case .delay:
                delay?.cancel()
                delay = me.eventLoop.scheduleTask(in: Self.attemptDelay) { me.value.receive(.delayPassed) }
            case .connect(let number): attempt(number)
            case .succeed(let number): end(number)
            case .fail: end(nil)
            }
        }
    }

    private func attempt(_ number: Int) {
        let me = NIOLoopBound(self, eventLoop: promise.futureResult.eventLoop)
        let address: SocketAddress
        do {
            let octets = ByteBuffer(bytes: addresses[number].octets)
            address = try SocketAddress(packedIPAddress: octets, port: target.port)
        } catch {
            failures.append((number, error))
            return receive(.failed(number))
        }
        let connecting = connect(address) { me.value.channels[number] = $0 }
        connecting.whenComplete { me.value.attempt(number, didEnd: $0) }
    }

    private func attempt(_ number: Int, didEnd result: Result<any Channel, any Error>) {
        channels[number] = nil
        switch result {
        case .success(let channel):
            // After the end of the race, a loser may connect before it is closed.
            guard !state.isOver else { return channel.close(promise: nil) }
            winner = channel
            receive(.connected(number))
        case .failure(let error):
            failures.append((number, error))
            receive(.failed(number))
        }
    }

    /// Ends the race, and closes the other connections.
    private func end(_ winning: Int?) {
        delay?.cancel()
        limit?.cancel()
        if winning == nil {
            let error = ChannelError.connectTimeout(promise.futureResult.eventLoop.now - beginning)
            failures += state.pending.sorted().map { ($0, error) }
        }
        let failures = failures
        for channel in channels.values { channel.close(promise: nil) }
        let error = AddressRaceError(errors: failures.map(\.error))
        if winning != nil || !error.isUnreachableNetwork {
            for failure in failures { resolver?.record(.failed, of: addresses[failure.number], for: target.host) }
        }
        if let winning { resolver?.record(.connected, of: addresses[winning], for: target.host) }
        if let winner { promise.succeed(winner) } else { promise.fail(error) }
    }
}

/// The error of a race that no address has won.
@_spi(Facade) public struct AddressRaceError: Error {
    /// The errors of the addresses that were tried, in the order in which they failed. An address that has not
    /// responded before the time limit has `ChannelError.connectTimeout`.
    public let errors: [any Error]

    /// A Boolean value that indicates whether no address is reachable, because this device has no network, or none of
    /// the address family.
    public var isUnreachableNetwork: Bool {
        errors.allSatisfy { ($0 as? IOError)?.isUnreachableNetwork ?? false }
    }
}
