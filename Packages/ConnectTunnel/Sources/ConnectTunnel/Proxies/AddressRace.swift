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
    /// A closure that looks up further addresses, which were not tried before. A failure is the same as none.
    typealias LookUp = () -> EventLoopFuture<[IPAddress]>

    private static let maxAddresses = 16
    /// The time between two attempts.
    private static let attemptDelay = TimeAmount.milliseconds(250)
    private var addresses: [IPAddress]
    private let target: HostPort
    private let resolver: (any AddressResolving)?
    private let lookUp: LookUp?
    private let connect: Connect
    private let promise: EventLoopPromise<any Channel>
    private var state: AddressRaceState
    /// The channels of the attempts in progress.
    private var channels: [Int: any Channel] = [:]
    private var failures: [(number: Int, error: any Error)] = []
    /// The numbers of the addresses whose failure is recorded.
    private var recorded: Set<Int> = []
    private var winner: (any Channel)?
    private let beginning: NIODeadline
    private var delay: Scheduled<Void>?
    private var half: Scheduled<Void>?
    private var limit: Scheduled<Void>?

    private init(
        _ addresses: [IPAddress], of target: HostPort, recordingIn resolver: (any AddressResolving)?,
        promise: EventLoopPromise<any Channel>, lookUp: LookUp?, connect: @escaping Connect
    ) {
        self.addresses = Array(addresses.prefix(Self.maxAddresses))
        self.target = target
        self.resolver = resolver
        self.promise = promise
        self.lookUp = lookUp
        self.connect = connect
        beginning = promise.futureResult.eventLoop.now
        state = AddressRaceState(count: self.addresses.count, canLookUp: lookUp != nil)
    }

    /// Runs a race. Call this on the event loop.
    ///
    /// If all addresses have failed, or half of the time has passed, further addresses are looked up once and join the
    /// race. Before that, the resolver receives a failure for each address that has failed or has not responded. At the
    /// end it receives the other failures and the outcome of the winner. Attempts that another one has made unnecessary
    /// are no failures. It receives none if this device has no network.
    /// - Parameters:
    ///   - addresses: The addresses in their order; one at least. The first 16 are tried.
    ///   - target: The host.
    ///   - resolver: The resolver of the addresses; `nil` for none.
    ///   - end: The time limit.
    ///   - lookUp: The look-up of further addresses; `nil`, the default, for none. The first 16 are tried.
    /// - Returns: A future channel that fails with ``AddressRaceError``.
    static func run(
        _ addresses: [IPAddress], of target: HostPort, recordingIn resolver: (any AddressResolving)?,
        on eventLoop: any EventLoop, until end: NIODeadline, lookUp: LookUp? = nil, connect: @escaping Connect
    ) -> EventLoopFuture<any Channel> {
        let promise = eventLoop.makePromise(of: (any Channel).self)
        let race = AddressRace(
            addresses, of: target, recordingIn: resolver, promise: promise, lookUp: lookUp, connect: connect)
        let me = NIOLoopBound(race, eventLoop: eventLoop)
        if lookUp != nil {
            let time = TimeAmount.nanoseconds((end - race.beginning).nanoseconds / 2)
            race.half = eventLoop.scheduleTask(in: time) { me.value.receive(.halfPassed) }
        }
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
            case .lookUp: add()
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

    /// Looks up further addresses, unless this device has no network.
    private func add() {
        guard let lookUp, !hasNoNetwork else { return receive(.added(0)) }
        recordFailures(of: failures.map(\.number) + state.pending.sorted())
        let me = NIOLoopBound(self, eventLoop: promise.futureResult.eventLoop)
        lookUp().whenComplete { result in
            let further = ((try? result.get()) ?? []).prefix(Self.maxAddresses)
            me.value.addresses += further
            me.value.receive(.added(further.count))
        }
    }

    /// Ends the race, and closes the other connections.
    private func end(_ winning: Int?) {
        for scheduled in [delay, half, limit] { scheduled?.cancel() }
        if winning == nil {
            let error = ChannelError.connectTimeout(promise.futureResult.eventLoop.now - beginning)
            failures += state.pending.sorted().map { ($0, error) }
        }
        let failures = failures
        for channel in channels.values { channel.close(promise: nil) }
        if winning != nil || !hasNoNetwork { recordFailures(of: failures.map(\.number)) }
        if let winning { resolver?.record(.connected, of: addresses[winning], for: target.host) }
        if let winner { promise.succeed(winner) } else { promise.fail(AddressRaceError(errors: failures.map(\.error))) }
    }

    /// Records failures, once for each address.
    private func recordFailures(of numbers: [Int]) {
        for number in numbers where recorded.insert(number).inserted {
            resolver?.record(.failed, of: addresses[number], for: target.host)
        }
    }

    /// A Boolean value that indicates whether this device has no network: addresses of both families were tried, and
    /// none is reachable. With one family alone, the device may have a network of the other one.
    private var hasNoNetwork: Bool {
        state.pending.isEmpty
            && failures.allSatisfy { ($0.error as? IOError)?.isUnreachableNetwork ?? false }
            && Set(failures.map { addresses[$0.number].octets.count }).count == 2
    }
}

/// The error of a race that no address has won.
@_spi(Facade) public struct AddressRaceError: Error {
    /// The errors of the addresses that were tried, in the order in which they failed. An address that has not
    /// responded before the time limit has `ChannelError.connectTimeout`.
    public let errors: [any Error]

    /// A Boolean value that indicates whether no address has responded before the time limit.
    public var isTimedOut: Bool {
        errors.allSatisfy { if case .connectTimeout? = $0 as? ChannelError { true } else { false } }
    }
}
