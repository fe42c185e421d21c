// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOPosix
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A port of 127.0.0.1 that is listened on until it is given up, and the connections that come there: as many as the
/// limits say, and on Linux from processes of the same user alone.
///
/// A system may take the listener away, as phones do from apps that rest: then it listens again by itself, or when
/// ``resume()`` finds it deaf.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
final class LoopbackListener: Sendable {
    /// Makes a connection's handlers, on its event loop. To be told, once or more, when the connection has said who it is.
    typealias Reception =
        @Sendable (_ channel: any Channel, _ becameKnown: @escaping @Sendable () -> Void) throws -> Void

    private enum State {
        case listening(any Channel, port: Int)
        /// With the port that it wants; 0 for any.
        case deaf(port: Int)
        case stopped
    }

    private let registry: ConnectionRegistry
    private let unidentifiedPeers: UnidentifiedPeers
    private let grace: Duration
    private let clock: any Clock<Duration>
    private let probe = ListenerProbe()
    private let happened: @Sendable (LoopbackEvent) -> Void
    private let receive: Reception
    /// Between two tries.
    private let rest: @Sendable () async throws -> Void
    private let isReachable: (@Sendable (_ port: Int) async -> Bool)?
    private let peerUser: @Sendable (any Channel) -> PeerUser
    private let hasReportedPeers = Atomic(false)
    private let state: Mutex<State>
    private let relistening = Mutex<Task<Int, any Error>?>(nil)
    private let recovery = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - port: the one to have if that is free; 0 for any.
    ///   - clock: counts the pauses between two attempts.
    ///   - rest: waits a moment for a port that is in use.
    ///   - isReachable: says whether a connection to a port comes out at the listener; by default one is made.
    ///   - peerUser: returns the user at the other end of a connection; by default as the system shows it.
    ///   - happened: hears of ports and of refusals, on an event loop or a task.
    init(
        _ limits: LoopbackLimits, port: Int, clock: any Clock<Duration> = ContinuousClock(),
        rest: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(50)) },
        isReachable: (@Sendable (_ port: Int) async -> Bool)? = nil,
        peerUser: @escaping @Sendable (any Channel) -> PeerUser = { PeerUser(of: $0) },
        happened: @escaping @Sendable (LoopbackEvent) -> Void, receive: @escaping Reception
    ) {
        registry = ConnectionRegistry(limit: limits.connections)
        unidentifiedPeers = UnidentifiedPeers(limit: limits.unidentifiedPeers) { happened(.refused(.unidentified)) }
        grace = limits.grace
        state = Mutex(.deaf(port: port))
        self.clock = clock
        self.isReachable = isReachable
        self.peerUser = peerUser
        self.happened = happened
        self.receive = receive
        self.rest = rest
    }

    deinit {
        recovery.withLock { $0 }?.cancel()
        if case .listening(let channel, _) = state.withLock({ $0 }) { channel.close(promise: nil) }
        registry.breakOff()
    }

    /// Where it listens; `nil` while it does not.
    var port: Int? {
        state.withLock { if case .listening(_, let port) = $0 { port } else { nil } }
    }

    /// How many connections there are.
    var connections: Int { registry.count }

    /// Sees to it that it listens, by a connection, since a system that took the listener away does not say so.
    /// - Returns: the port, which may be another one.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    func resume() async throws -> Int {
        guard case .listening(let channel, let port) = state.withLock({ $0 }) else { return try await listen() }
        if await isAlive(channel, port) { return port }
        return try await listen(insteadOf: channel)
    }

    /// Takes no more connections, lets requests in flight finish for a while, and closes the rest. It waits for a port
    /// that is just being taken, some 200 ms at most. A second call does nothing more.
    func stop() async {
        let old = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        if case .listening(let channel, _) = old { try? await channel.close() }
        if let recovery = recovery.withLock({ $0 }) {
            recovery.cancel()
            await recovery.value
        }
        // An attempt under way lets go of its port when it finds out.
        if let attempt = relistening.withLock({ $0 }) { _ = await attempt.result }
        await registry.close(within: grace, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Listens, on the port it had where that is free. One attempt at a time.
    /// - Parameter deaf: the listener that was found deaf; any other one is left as it is.
    /// - Returns: the port.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    func listen(insteadOf deaf: (any Channel)? = nil) async throws -> Int {
        let attempt = relistening.withLock { current in
            if let current { return current }
            let attempt = Task {
                // Nobody joins one that is over.
                defer { relistening.withLock { $0 = nil } }
                return try await bind(insteadOf: deaf)
            }
            current = attempt
            return attempt
        }
        return try await attempt.value
    }

    /// Closes the listener as a system would, without having been asked. For tests.
    func closeListener() {
        if case .listening(let channel, _) = state.withLock({ $0 }) { channel.close(promise: nil) }
    }

    /// How often a port is tried that is in use. A program that the app is just starting, or the app's own last run that
    /// is about to be over, holds it for a moment, and another port is another origin to pages of the local server.
    private static let tries = 5

    /// Between two attempts to listen again, by itself. What was missing may be there later, such as descriptors.
    static let pauses: [Duration] = (0..<8).map { .milliseconds(250 << $0) }

    private var isStopped: Bool {
        state.withLock { if case .stopped = $0 { true } else { false } }
    }

    private static var stopped: LoopbackError { LoopbackError(.stopped, "the server was stopped") }

    private func bind(insteadOf deaf: (any Channel)?) async throws -> Int {
        // From here on the old one is nobody's: its end is no loss.
        let old: (channel: (any Channel)?, port: Int, isReplaced: Bool) = try state.withLock { state in
            switch state {
            case .listening(let channel, let port):
                guard channel === deaf else { return (nil, port, true) }
                state = .deaf(port: port)
                return (channel, port, false)
            case .deaf(let port): return (nil, port, false)
            case .stopped: throw Self.stopped
            }
        }
        // Somebody has made another one meanwhile.
        if old.isReplaced { return old.port }
        if let channel = old.channel { try? await channel.close() }
        let listener: any Channel
        do {
            listener = try await bind(to: old.port)
        } catch let error as LoopbackError {
            throw error
        } catch {
            happened(.deaf(reason: "\(error)"))
            throw LoopbackError(.cannotListen, "no port of 127.0.0.1 to listen on", cause: error)
        }
        let port = listener.localAddress?.port ?? 0
        let isWanted = state.withLock { state in
            if case .stopped = state { return false }
            state = .listening(listener, port: port)
            return true
        }
        guard isWanted else {
            try? await listener.close()
            throw Self.stopped
        }
        if old.port != 0, port != old.port { happened(.portTaken(old.port)) }
        happened(.listening(port: port))
        listener.closeFuture.whenComplete { [weak self] _ in self?.lost(listener) }
        return port
    }

    /// On the port that is wanted, or on another one.
    private func bind(to port: Int) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try channel.closeOnExec() } }
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    if let self { try self.accept(channel) } else { channel.close(promise: nil) }
                }
            }
        var tries = port == 0 ? 0 : Self.tries
        while tries > 0 {
            guard !isStopped else { throw Self.stopped }
            tries -= 1
            do {
                return try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            } catch let error as IOError where error.isAddressInUse && tries > 0 {
                try await rest()
            } catch {
                break
            }
        }
        return try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    }

    /// The listener closed. Where nobody wanted that, it listens again.
    private func lost(_ listener: any Channel) {
        let isLoss = state.withLock { state in
            guard case .listening(let channel, let port) = state, channel === listener else { return false }
            state = .deaf(port: port)
            return true
        }
        guard isLoss else { return }
        happened(.deaf(reason: "the listener was closed"))
        recover()
    }

    /// Listens again, where that fails after a pause, and a longer one.
    private func recover() {
        let clock = clock
        recovery.withLock { current in
            let earlier = current
            earlier?.cancel()
            current = Task { [weak self] in
                await earlier?.value
                for pause in Self.pauses {
                    // A pause keeps nobody.
                    guard let isOver = await self?.listenAgain(), !isOver else { return }
                    do { try await clock.sleep(for: pause) } catch { return }
                }
                _ = await self?.listenAgain()
            }
        }
    }

    /// - Returns: whether nothing more is to be done.
    private func listenAgain() async -> Bool {
        // Unless somebody has made another one meanwhile.
        if port != nil || isStopped { return true }
        return (try? await listen()) != nil
    }

    /// Lets a connection finish what it is at, and end.
    func dismiss(_ channel: any Channel) { registry.dismiss(channel) }

    /// Whether a connection to the port comes out at the listener.
    private func isAlive(_ listener: any Channel, _ port: Int) async -> Bool {
        guard listener.isActive else { return false }
        if let isReachable { return await isReachable(port) }
        return await probe.isReachable(at: port)
    }

    private func accept(_ channel: any Channel) throws {
        if probe.accepts(channel) { return channel.close(promise: nil) }
        switch peerUser(channel) {
        case .own: break
        case .unknown(let code):
            if !hasReportedPeers.exchange(true) {
                happened(.peersUnchecked(reason: SystemError.reason(of: code)))
            }
        case .other(let user):
            happened(.refused(.otherUser(user)))
            return channel.close(promise: nil)
        case .gone: return channel.close(promise: nil)
        }
        guard registry.admit(channel) else {
            happened(.refused(.tooMany))
            return channel.close(promise: nil)
        }
        let number = unidentifiedPeers.enter(channel)
        do {
            try receive(channel) { [unidentifiedPeers] in unidentifiedPeers.leave(number) }
        } catch {
            unidentifiedPeers.leave(number)
            throw error
        }
    }
}
