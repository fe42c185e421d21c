// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// A proxy on loopback for the app's own engine, over SOCKS5 (RFC 1928) or HTTP: it stands in for the hosts that a policy
/// names, with certificates that this engine alone trusts, and answers their requests by a loader. All other connections
/// pass end to end.
///
/// Nobody else is served: who connects has to know the credentials of this launch, and on Linux to be a process of the
/// same user. Requests that could be read in two ways are refused (RFC 9112, sections 6 and 11).
///
/// A system may take the listener away, as phones do from apps that rest: then it listens again by itself, or when
/// ``resume()`` finds it deaf, and says where by ``ProxyEvent/listening(port:)``.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
public final class InterceptingProxy: Sendable {
    private enum State {
        case listening(any Channel, port: Int)
        /// With the port it had; 0 before it had one.
        case deaf(port: Int)
        case stopped
    }

    /// What the engine has to say to be served.
    public let credentials: ProxyCredentials
    /// The certificate of the authority that signs for the hosts (X.509, DER). Nobody but the app's engine is to trust
    /// it.
    public let authority: [UInt8]
    private let parts: ProxyParts
    private let registry: ConnectionRegistry
    private let strangers: Strangers
    private let probe = ListenerProbe()
    private let state = Mutex(State.deaf(port: 0))
    private let relistening = Mutex<Task<Void, any Error>?>(nil)

    private init(_ configuration: Configuration) throws {
        let limits = configuration.limits
        let authority = try LaunchAuthority()
        self.authority = authority.certificate
        credentials = ProxyCredentials()
        registry = ConnectionRegistry(limit: limits.connections)
        let observer = configuration.observer
        strangers = Strangers(limit: limits.strangers) { observer?.happened(.refused(.stranger)) }
        parts = ProxyParts(
            loader: configuration.loader, policy: configuration.policy, observer: configuration.observer,
            credentials: credentials,
            leaves: LeafStore(authority, trusting: configuration.trusting, limit: limits.hosts),
            dialer: try Dialer(
                proxy: configuration.upstreamProxy, timeout: limits.connect, trustRoots: configuration.trustRoots),
            limits: limits)
    }

    deinit {
        if case .listening(let channel, _) = state.withLock({ $0 }) { channel.close(promise: nil) }
        registry.breakOff()
    }

    /// Makes the keys of this launch, and begins to listen on a free port of 127.0.0.1.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `certificate`.
    public static func start(_ configuration: Configuration) async throws -> InterceptingProxy {
        let proxy: InterceptingProxy
        do {
            proxy = try InterceptingProxy(configuration)
        } catch let error as LoopbackError {
            throw error
        } catch {
            throw LoopbackError(.certificate, "the certificates to trust cannot be read", cause: error)
        }
        try await proxy.listen()
        return proxy
    }

    /// Where it listens on 127.0.0.1; `nil` while it does not.
    public var port: Int? {
        state.withLock { if case .listening(_, let port) = $0 { port } else { nil } }
    }

    /// How many connections there are.
    public var connections: Int { registry.count }

    /// Sees to it that it listens: to be called when the app comes back from a suspension, and before a page opens.
    /// Asks the listener by a connection, since a system that took it away does not say so.
    /// - Returns: the port, which may be another one.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    public func resume() async throws -> Int {
        if case .listening(let channel, let port) = state.withLock({ $0 }), await isAlive(channel, port) { return port }
        try await listen()
        guard let port else { throw LoopbackError(.stopped, "the proxy was stopped") }
        return port
    }

    /// Takes no more connections, lets requests in flight finish for ``Limits/grace``, and closes the rest. A second
    /// call does nothing more.
    public func stop() async {
        let old = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        parts.dialer.keepOff(nil)
        if case .listening(let channel, _) = old { try? await channel.close() }
        await registry.close(within: parts.limits.grace, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    // MARK: Listening

    /// Listens, on the port it had where that is free. One attempt at a time.
    private func listen() async throws {
        let attempt = relistening.withLock { current in
            if let current { return current }
            let attempt = Task { try await self.bind() }
            current = attempt
            return attempt
        }
        defer { relistening.withLock { if $0 == attempt { $0 = nil } } }
        try await attempt.value
    }

    private func bind() async throws {
        // From here on the old one is nobody's: its end is no loss.
        let old: (channel: (any Channel)?, port: Int) = try state.withLock { state in
            switch state {
            case .listening(let channel, let port):
                state = .deaf(port: port)
                return (channel, port)
            case .deaf(let port): return (nil, port)
            case .stopped: throw LoopbackError(.stopped, "the proxy was stopped")
            }
        }
        if let channel = old.channel { try? await channel.close() }
        let listener: any Channel
        do {
            listener = try await bind(to: old.port)
        } catch {
            parts.happened(.deaf(reason: "\(error)"))
            throw LoopbackError(.cannotListen, "no port of 127.0.0.1 to listen on", cause: error)
        }
        let port = listener.localAddress?.port ?? 0
        let isWanted = state.withLock { state in
            if case .stopped = state { return false }
            state = .listening(listener, port: port)
            return true
        }
        guard isWanted else {
            listener.close(promise: nil)
            throw LoopbackError(.stopped, "the proxy was stopped")
        }
        parts.dialer.keepOff(port)
        parts.happened(.listening(port: port))
        listener.closeFuture.whenComplete { [weak self] _ in self?.lost(listener) }
    }

    /// On the port that the engine knows, or on another one.
    private func bind(to port: Int) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let self { try self.accept(channel) } else { channel.close(promise: nil) }
                }
            }
        if port != 0, let channel = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() { return channel }
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
        parts.happened(.deaf(reason: "the listener was closed"))
        Task {
            // Unless somebody has made another one meanwhile.
            if port == nil { try? await listen() }
        }
    }

    /// Closes the listener as a system would, without having been asked. For tests.
    func closeListener() {
        if case .listening(let channel, _) = state.withLock({ $0 }) { channel.close(promise: nil) }
    }

    /// Whether a connection to the port comes out at the listener.
    private func isAlive(_ listener: any Channel, _ port: Int) async -> Bool {
        guard listener.isActive else { return false }
        return await probe.isHeard(at: port)
    }

    private func accept(_ channel: any Channel) throws {
        if probe.takes(channel) { return channel.close(promise: nil) }
        switch PeerUser(of: channel) {
        case .own, .untold: break
        case .other(let user):
            parts.refused(.otherUser(user))
            return channel.close(promise: nil)
        case .gone: return channel.close(promise: nil)
        }
        guard registry.admit(channel) else {
            parts.refused(.tooMany)
            return channel.close(promise: nil)
        }
        let number = strangers.enter(channel)
        do {
            let door = ProxyDoor(parts) { [strangers] in strangers.leave(number) }
            try channel.pipeline.syncOperations.addHandler(door)
        } catch {
            strangers.leave(number)
            throw error
        }
    }
}
