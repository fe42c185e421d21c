// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
internal import NIOCore
public import ResourceLoading

/// A proxy on loopback for the app's own engine, over SOCKS5 (RFC 1928) or HTTP: it stands in for the hosts that a policy
/// names, with certificates that this engine alone trusts, and answers their requests by a loader. All other connections
/// pass end to end.
///
/// Nobody else is served: who connects has to know the credentials of this launch, and on Linux to be a process of the
/// same user. Requests that could be read in two ways are refused (RFC 9112, sections 6 and 11).
///
/// A system may take the listener away, as phones do from apps that rest: then it listens again by itself, or when
/// ``resume()`` finds it deaf, and says where by ``LoopbackEvent/listening(port:)``.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
public final class InterceptingProxy: Sendable {
    /// What the engine has to say to be served.
    public let credentials: ProxyCredentials
    /// The certificate of the authority that signs for the hosts (X.509, DER). Nobody but the app's engine is to trust
    /// it.
    public let authority: [UInt8]
    private let dependencies: ProxyDependencies
    private let listener: LoopbackListener

    private init(
        _ configuration: Configuration, peerUser: @escaping @Sendable (any Channel) -> PeerUser
    ) throws {
        let limits = configuration.limits
        let authority = try LaunchAuthority()
        self.authority = authority.certificate
        credentials = ProxyCredentials()
        let dependencies = ProxyDependencies(
            exchange: ExchangeDependencies(
                loader: configuration.loader, completing: configuration.policy, observer: configuration.observer,
                leaves: LeafStore(authority, trusting: configuration.trusting, limit: limits.hosts),
                dialer: try Dialer(
                    proxy: configuration.upstreamProxy, timeout: limits.connect, trustRoots: configuration.trustRoots),
                limits: limits),
            policy: configuration.policy, credentials: credentials)
        self.dependencies = dependencies
        listener = LoopbackListener(limits, port: 0, peerUser: peerUser) { event in
            if case .listening(let port) = event { dependencies.dialer.keepOff(port) }
            dependencies.happened(event)
        } receive: { channel, becameKnown in
            try channel.pipeline.syncOperations.addHandler(
                ProxyProtocolDetector(dependencies, becameKnown: becameKnown))
        }
    }

    /// Makes the keys of this launch, and begins to listen on a free port of 127.0.0.1.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `certificate`.
    public static func start(_ configuration: Configuration) async throws -> InterceptingProxy {
        try await start(configuration) { PeerUser(of: $0) }
    }

    /// Starts with another check of the peer's user. For tests.
    static func start(
        _ configuration: Configuration, peerUser: @escaping @Sendable (any Channel) -> PeerUser
    ) async throws -> InterceptingProxy {
        let proxy: InterceptingProxy
        do {
            proxy = try InterceptingProxy(configuration, peerUser: peerUser)
        } catch let error as LoopbackError {
            throw error
        } catch {
            throw LoopbackError(.certificate, "the certificates to trust cannot be read", cause: error)
        }
        try await proxy.listener.listen()
        return proxy
    }

    /// Where it listens on 127.0.0.1; `nil` while it does not.
    public var port: Int? { listener.port }

    /// How many connections there are.
    public var connections: Int { listener.connections }

    /// Whether the engine has a connection to a host in whose place the proxy stands, whatever that is busy with, or is making
    /// one.
    public func isConnected(to host: HostPort) -> Bool { dependencies.tunnels.isOpened(host) }

    /// Sees to it that it listens: to be called when the app comes back from a suspension, and before a page opens.
    /// Asks the listener by a connection, since a system that took it away does not say so.
    /// - Returns: the port, which may be another one.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    public func resume() async throws -> Int {
        try await listener.resume()
    }

    /// The policy says something else from now on: connections that are open by what it said before end, those of opened
    /// hosts after the requests that they are at, tunnels when nothing has passed for ``LoopbackLimits/rest`` and the host
    /// has spoken last. The engine makes new ones.
    public func policyChanged() {
        for channel in dependencies.tunnels.outdated { listener.dismiss(channel) }
    }

    /// Takes no more connections, lets requests in flight finish for ``LoopbackLimits/grace``, and closes the rest. A
    /// second call does nothing more.
    public func stop() async {
        dependencies.dialer.keepOff(nil)
        await listener.stop()
    }

    /// Closes the listener as a system would, without having been asked. For tests.
    func closeListener() {
        listener.closeListener()
    }
}

extension InterceptingProxy {
    /// What a proxy is made of, and what it takes at most.
    public struct Configuration: Sendable {
        /// Answers the requests of what is opened, and those for http URLs.
        public var loader: any ResourceLoader
        /// Says what is opened.
        public var policy: any InterceptPolicy
        /// Has the engine trust the proxy's certificates.
        public var trusting: any CertificateTrusting
        /// Hears what happens; nobody by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy, through which tunnels and upgraded connections go; none by default.
        public var upstreamProxy: HostPort?
        /// Certificates (PEM) that upstream connections of upgraded requests trust in place of the system's; the
        /// system's by default. For servers of tests and of companies.
        public var trustRoots: [String]?
        /// What it takes at most.
        public var limits = LoopbackLimits()

        /// Makes a configuration with the default limits.
        public init(loader: any ResourceLoader, policy: any InterceptPolicy, trusting: any CertificateTrusting) {
            self.loader = loader
            self.policy = policy
            self.trusting = trusting
        }
    }
}

/// What a proxy opens, and whose a request is.
///
/// Isolation: any, and concurrently; asked on an event loop, so that it answers from memory.
public protocol InterceptPolicy: RequestCompleting {
    /// Whether connections to there are opened: the proxy stands in for the host. All others pass end to end, unseen.
    func opens(_ target: HostPort) -> Bool
}
