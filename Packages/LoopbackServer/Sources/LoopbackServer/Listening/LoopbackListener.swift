// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOPosix
@_spi(Facade) internal import ResourceLoading
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A listener on a port of 127.0.0.1 and its connections. It enforces the limits and, on Linux, accepts only
/// processes of the same user.
///
/// The system can close the listening socket, as phones do for suspended apps. The listener then listens again by
/// itself, when ``resume()`` detects the close, or by ``renew()``.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
final class LoopbackListener: Sendable {
    /// A closure that adds the handlers of a connection, on its event loop. It calls `didIdentify` at least once, when
    /// the connection has identified itself.
    typealias Reception =
        @Sendable (_ channel: any Channel, _ didIdentify: @escaping @Sendable () -> Void) throws -> Void

    private enum State {
        case listening(any Channel, port: Int)
        /// Not listening. The port is the preferred one; 0 for any.
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
    /// A closure that waits between two attempts to bind a port in use.
    private let rest: @Sendable () async throws -> Void
    private let isReachable: (@Sendable (_ port: Int) async -> Bool)?
    private let peerUser: @Sendable (any Channel) -> PeerUser
    private let hasReportedPeers = Atomic(false)
    private let state: Mutex<State>
    private let relistening = Mutex<Task<Int, any Error>?>(nil)
    private let recovery = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - limits: The limits of the server.
    ///   - port: The preferred port; 0 for any.
    ///   - clock: The clock for ``pauses``.
    ///   - rest: A closure that waits between two attempts to bind a port in use.
    ///   - isReachable: A closure that checks whether a connection to a port reaches the listener; `nil`, the default,
    ///     for `ListenerProbe`.
    ///   - peerUser: A closure that returns the user at the other end of a connection; by default it queries the
    ///     system.
    ///   - happened: A closure that receives events, on an event loop or in a task.
    ///   - receive: A closure that adds the handlers of a connection.
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
        if case .listening(let channel, let port) = state.withLock({ $0 }) {
            OwnListeners.remove(port)
            channel.close(promise: nil)
        }
        registry.breakOff()
    }

    /// The port; `nil` while the listener does not listen.
    var port: Int? {
        state.withLock { if case .listening(_, let port) = $0 { port } else { nil } }
    }

    /// The number of open connections.
    var connections: Int { registry.count }

    /// Checks that the listener accepts connections, and listens again if it does not. The check opens a connection,
    /// because the system does not report a closed listener.
    /// - Returns: The port, which may have changed.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    func resume() async throws -> Int {
        guard case .listening(let channel, let port) = state.withLock({ $0 }) else { return try await listen() }
        if await isAlive(channel, port) { return port }
        return try await listen(insteadOf: channel)
    }

    /// Replaces the listener by a new one without a check, on the same port if it is free. Connections stay open.
    /// - Returns: The port, which may have changed.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    func renew() async throws -> Int {
        guard case .listening(let channel, _) = state.withLock({ $0 }) else { return try await listen() }
        return try await listen(insteadOf: channel)
    }

    /// Stops accepting connections, lets requests in progress finish for a limited time, and closes the remaining
    /// connections. It waits for an attempt to bind, at most about 200 ms. Further calls do nothing.
    func stop() async {
        let old = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        if case .listening(let channel, let port) = old {
            OwnListeners.remove(port)
            try? await channel.close()
        }
        if let recovery = recovery.withLock({ $0 }) {
            recovery.cancel()
            await recovery.value
        }
        // An attempt in progress closes its port when it detects the stop.
        if let attempt = relistening.withLock({ $0 }) { _ = await attempt.result }
        await registry.close(within: grace, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Listens, on the preferred port if it is free. Concurrent calls share one attempt.
    /// - Parameter deaf: The listener to replace. If another listener is current, nothing changes.
    /// - Returns: The port.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    func listen(insteadOf deaf: (any Channel)? = nil) async throws -> Int {
        let attempt = relistening.withLock { current in
            if let current { return current }
            let attempt = Task {
                // A finished attempt is not shared.
                defer { relistening.withLock { $0 = nil } }
                return try await bind(insteadOf: deaf)
            }
            current = attempt
            return attempt
        }
        return try await attempt.value
    }

    /// Closes the listener as the system does. Only tests call it.
    func closeListener() {
        if case .listening(let channel, _) = state.withLock({ $0 }) { channel.close(promise: nil) }
    }

    /// The number of attempts to bind a port in use. A program that the app starts, or the previous process of the app,
    /// may use the port briefly. With another port, pages of the local server would have another origin.
    private static let tries = 5

    /// The pauses between attempts to listen again. Missing resources, such as file descriptors, may become
    /// available.
    static let pauses: [Duration] = (0..<8).map { .milliseconds(250 << $0) }

    private var isStopped: Bool {
        state.withLock { if case .stopped = $0 { true } else { false } }
    }

    private static var stopped: LoopbackError { LoopbackError(.stopped, "the server was stopped") }

    private func bind(insteadOf deaf: (any Channel)?) async throws -> Int {
        // From here on, `lost(_:)` ignores the close of the old listener.
        let old: (channel: (any Channel)?, port: Int, isReplaced: Bool) = try state.withLock { state in
            switch state {
            case .listening(let channel, let port):
                guard channel === deaf else { return (nil, port, true) }
                state = .deaf(port: port)
                OwnListeners.remove(port)
                return (channel, port, false)
            case .deaf(let port): return (nil, port, false)
            case .stopped: throw Self.stopped
            }
        }
        // Another call has already replaced the listener.
        if old.isReplaced { return old.port }
        if let channel = old.channel { try? await channel.close() }
        let listener: any Channel
        do {
            listener = try await bind(to: old.port)
        } catch let error as LoopbackError {
            throw error
        } catch {
            happened(.deaf(reason: "\(error)"))
            throw LoopbackError(.cannotListen, "cannot listen on a port of 127.0.0.1", cause: error)
        }
        let port = listener.localAddress?.port ?? 0
        let isWanted = state.withLock { state in
            if case .stopped = state { return false }
            state = .listening(listener, port: port)
            OwnListeners.insert(port)
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

    /// Binds the preferred port, or a free port if the preferred one is not available.
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

    /// Listens again if the listener was closed unexpectedly.
    private func lost(_ listener: any Channel) {
        let isLoss = state.withLock { state in
            guard case .listening(let channel, let port) = state, channel === listener else { return false }
            state = .deaf(port: port)
            OwnListeners.remove(port)
            return true
        }
        guard isLoss else { return }
        happened(.deaf(reason: "the listener was closed"))
        recover()
    }

    /// Listens again, with increasing pauses after failures.
    private func recover() {
        let clock = clock
        recovery.withLock { current in
            let earlier = current
            earlier?.cancel()
            current = Task { [weak self] in
                await earlier?.value
                for pause in Self.pauses {
                    // `self` is not retained during a pause.
                    guard let isOver = await self?.listenAgain(), !isOver else { return }
                    do { try await clock.sleep(for: pause) } catch { return }
                }
                _ = await self?.listenAgain()
            }
        }
    }

    /// - Returns: `true` if no further attempt is needed.
    private func listenAgain() async -> Bool {
        // Another call may already have replaced the listener.
        if port != nil || isStopped { return true }
        return (try? await listen()) != nil
    }

    /// Makes an open connection close after its current request.
    func dismiss(_ channel: any Channel) { registry.dismiss(channel) }

    /// Returns a Boolean value that indicates whether a connection to the port reaches the listener.
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
        case .closed: return channel.close(promise: nil)
        }
        guard registry.admit(channel) else {
            happened(.refused(.tooMany))
            return channel.close(promise: nil)
        }
        let number = unidentifiedPeers.insert(channel)
        do {
            try receive(channel) { [unidentifiedPeers] in unidentifiedPeers.remove(number) }
        } catch {
            unidentifiedPeers.remove(number)
            throw error
        }
    }
}
