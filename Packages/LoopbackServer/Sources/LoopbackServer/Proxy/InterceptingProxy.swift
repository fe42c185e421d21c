// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
public import ResourceLoading
public import WebSyntax

/// An intercepting proxy on loopback for the app's own engine, over SOCKS5 (RFC 1928) or HTTP.
///
/// For the hosts that a policy selects, it terminates TLS with certificates that only this engine trusts, and a loader
/// responds to their requests. All other connections are relayed end to end.
///
/// A client must send the credentials of this launch and, on Linux, must be a process of the same user. Ambiguous
/// requests are refused (RFC 9112, sections 6 and 11).
///
/// The system can close the listener, as phones do for suspended apps. The proxy then listens again by itself, or when
/// ``resume()`` detects the close; ``renewListener()`` replaces the listener in any case. It reports
/// the port with ``LoopbackEvent/listening(port:)``.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
public final class InterceptingProxy: Sendable {
    /// The credentials that the engine must send.
    public let credentials: ProxyCredentials
    /// The certificate of the authority that signs for the hosts (X.509, DER). Only the app's engine should trust it.
    public let authority: [UInt8]
    private let dependencies: ProxyDependencies
    private let listener: LoopbackListener

    private init(_ configuration: Configuration) throws {
        let limits = configuration.limits
        let authority = try LaunchAuthority()
        self.authority = authority.certificate
        credentials = ProxyCredentials()
        let dependencies = ProxyDependencies(
            exchange: ExchangeDependencies(
                loader: configuration.loader, completing: configuration.policy, observer: configuration.observer,
                leaves: LeafStore(authority, trusting: configuration.trusting, limit: limits.hosts),
                dialer: Dialer(
                    proxy: configuration.upstreamProxy, system: configuration.systemProxies, timeout: limits.connect,
                    trusted: configuration.trusted, addresses: configuration.addresses),
                limits: limits),
            policy: configuration.policy, credentials: credentials)
        self.dependencies = dependencies
        listener = LoopbackListener(limits, port: 0, peerUser: configuration.peerUser) { event in
            dependencies.happened(event)
        } receive: { channel, didIdentify in
            try channel.pipeline.syncOperations.addHandler(
                ProxyProtocolDetector(dependencies, didIdentify: didIdentify))
        }
    }

    /// Creates the keys of this launch and starts listening on a free port of 127.0.0.1.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `certificate`.
    public static func start(_ configuration: Configuration) async throws -> InterceptingProxy {
        let proxy = try InterceptingProxy(configuration)
        try await proxy.listener.listen()
        return proxy
    }

    /// The port on 127.0.0.1; `nil` while the proxy does not listen.
    public var port: Int? { listener.port }

    /// The number of open connections.
    public var connections: Int { listener.connections }

    /// Returns a Boolean value that indicates whether the engine has an intercepted connection to a host, idle or in
    /// use, or is opening one.
    public func isConnected(to host: HostPort) -> Bool { dependencies.tunnels.isOpened(host) }

    /// Checks that the proxy listens, and listens again if it does not. Call this before a page opens.
    ///
    /// The check opens a connection, because the system does not report a closed listener.
    /// - Returns: The port, which may have changed.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    public func resume() async throws -> Int {
        try await listener.resume()
    }

    /// Replaces the listener by a new one, on the same port if it is free. Connections stay open. Call this when the
    /// app resumes from a suspension, after which no listener can be trusted.
    /// - Returns: The port, which may have changed.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    public func renewListener() async throws -> Int {
        try await listener.renew()
    }

    /// Ends open connections that no longer match the policy, after the policy has changed.
    ///
    /// Intercepted connections end after their current request. Tunnels end when no bytes have passed for
    /// ``LoopbackLimits/rest`` and the last bytes came from the host. The engine then opens new connections.
    public func policyChanged() {
        for channel in dependencies.tunnels.outdated { listener.dismiss(channel) }
    }

    /// Stops accepting connections, lets requests in progress finish for ``LoopbackLimits/grace``, and closes the
    /// remaining connections. Further calls do nothing.
    public func stop() async {
        await listener.stop()
    }

    /// Closes the listener as the system does. Only tests call it.
    func closeListener() {
        listener.closeListener()
    }
}

extension InterceptingProxy {
    /// The dependencies and limits of a proxy.
    public struct Configuration: Sendable {
        /// The loader for requests of intercepted hosts and for http URLs.
        public var loader: any ResourceLoader
        /// The policy that selects the intercepted hosts.
        public var policy: any InterceptPolicy
        /// The type that makes the engine trust the proxy's certificates.
        public var trusting: any CertificateTrusting
        /// The observer of events; none by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy for tunnels and upgraded connections, in place of those of the system; none by default.
        public var upstreamProxy: HostPort?
        /// The proxies of the system for tunnels and upgraded connections; none by default.
        public var systemProxies: SystemProxies?
        /// The resolver of host names for tunnels and upgraded connections; the system's by default.
        public var addresses: (any AddressResolving)?
        /// The certificates that upgraded requests trust in addition to those of the system; none by default.
        public var trusted: TrustedCertificates = { _ in [] }
        /// The limits of the proxy.
        public var limits = LoopbackLimits()
        /// A closure that returns the user at the other end of a connection. Only tests replace it.
        var peerUser: @Sendable (any Channel) -> PeerUser = { PeerUser(of: $0) }

        /// Creates a configuration with the default limits.
        public init(loader: any ResourceLoader, policy: any InterceptPolicy, trusting: any CertificateTrusting) {
            self.loader = loader
            self.policy = policy
            self.trusting = trusting
        }
    }
}

/// A policy that selects the intercepted hosts and completes their requests.
///
/// Isolation: methods may be called from any isolation and concurrently. They are called on an event loop and must
/// not block.
public protocol InterceptPolicy: RequestCompleting {
    /// Returns a Boolean value that indicates whether connections to the host are intercepted. If not, they are relayed
    /// end to end.
    func opens(_ target: HostPort) -> Bool
}
