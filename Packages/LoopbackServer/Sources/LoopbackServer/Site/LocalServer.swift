// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
internal import HTTPTypes
internal import NIOCore
public import ResourceLoading

/// Sites at `https://<site>.localhost:<port>`, for engines that have neither scheme handlers nor a proxy: requests there
/// are named as the real ones, and answered by a loader.
///
/// Nobody but the app's engine is served: each request has to say the token of this launch, as a cookie that the app sets
/// in the engine, and to come from a page of the same site; on Linux the process has to be one of the same user. Who asks
/// for a site that was not named by ``serve(_:)`` gets no byte. Nothing lists what there is.
///
/// A system may take the listener away, as phones do from apps that rest: then it listens again by itself, or when
/// ``resume()`` finds it deaf, on the same port where that is free. Where it is not, ``LoopbackEvent/portTaken(_:)`` says
/// so: pages have another origin then.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
public final class LocalServer: Sendable {
    /// What the engine has to say to be served.
    public let token: AccessToken
    /// The certificate of the authority that signs for the sites (X.509, DER). Nobody but the app's engine is to trust
    /// it.
    public let authority: [UInt8]
    private let sites: LocalSites
    private let dialer: Dialer
    private let listener: LoopbackListener

    private init(
        _ configuration: Configuration, peerUser: @escaping @Sendable (any Channel) -> PeerUser
    ) throws {
        let limits = configuration.limits
        let token = AccessToken()
        let authority = try LaunchAuthority()
        let sites = LocalSites(limit: limits.hosts)
        let dialer = try Dialer(
            proxy: configuration.upstreamProxy, timeout: limits.connect, trustRoots: configuration.trustRoots)
        let dependencies = LocalSiteDependencies(
            exchange: ExchangeDependencies(
                loader: configuration.loader, completing: configuration.completing, observer: configuration.observer,
                leaves: LeafStore(authority, trusting: configuration.trusting, limit: limits.hosts), dialer: dialer,
                limits: limits),
            sites: sites, token: token)
        self.authority = authority.certificate
        (self.token, self.sites, self.dialer) = (token, sites, dialer)
        listener = LoopbackListener(limits, port: configuration.port, peerUser: peerUser) { event in
            if case .listening(let port) = event { dependencies.exchange.dialer.keepOff(port) }
            dependencies.exchange.happened(event)
        } receive: { channel, becameKnown in
            try LocalSiteHandler.add(to: channel, dependencies, becameKnown: becameKnown)
        }
    }

    /// Makes the keys of this launch, and begins to listen.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `certificate`.
    public static func start(_ configuration: Configuration) async throws -> LocalServer {
        try await start(configuration) { PeerUser(of: $0) }
    }

    /// Starts with another check of the peer's user. For tests.
    static func start(
        _ configuration: Configuration, peerUser: @escaping @Sendable (any Channel) -> PeerUser
    ) async throws -> LocalServer {
        let server: LocalServer
        do {
            server = try LocalServer(configuration, peerUser: peerUser)
        } catch let error as LoopbackError {
            throw error
        } catch {
            throw LoopbackError(.certificate, "the certificates to trust cannot be read", cause: error)
        }
        try await server.listener.listen()
        return server
    }

    /// Where it listens on 127.0.0.1; `nil` while it does not.
    public var port: Int? { listener.port }

    /// How many connections there are.
    public var connections: Int { listener.connections }

    /// Serves a site from now on. At most ``LoopbackLimits/hosts`` are: for one more the one that was named least lately
    /// is not served any more.
    public func serve(_ site: LocalSite) {
        sites.serve(site)
    }

    /// The URL that a page of a site has here.
    /// - Parameters:
    ///   - url: a real URL; its fragment is kept.
    ///   - port: where the server listens.
    /// - Returns: also of what is not served yet; `nil` for what is no http or https URL.
    public static func url(of url: String, at port: Int) -> (url: String, site: LocalSite)? {
        guard let site = LocalSite(url: url), let request = HTTPRequest(urlText: url) else { return nil }
        let fragment = url.firstIndex(of: "#").map { String(url[$0...]) } ?? ""
        return ("https://\(site.name):\(port)\(request.path ?? "/")\(fragment)", site)
    }

    /// The real URL of one that a page has here; `nil` for one that is not under a site that is served.
    public func realURL(of url: String) -> String? {
        guard let request = HTTPRequest(urlText: url), request.scheme == "https",
            let place = request.authority.flatMap({ HostPort($0, defaultPort: 443) }), place.port == port,
            let site = sites.site(named: place.host)
        else { return nil }
        let fragment = url.firstIndex(of: "#").map { String(url[$0...]) } ?? ""
        return site.origin + (request.path ?? "/") + fragment
    }

    /// Sees to it that it listens: to be called when the app comes back from a suspension, and before a page opens.
    /// Asks the listener by a connection, since a system that took it away does not say so.
    /// - Returns: the port, which may be another one.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `stopped`.
    @discardableResult
    public func resume() async throws -> Int {
        try await listener.resume()
    }

    /// Takes no more connections, lets requests in flight finish for ``LoopbackLimits/grace``, and closes the rest. A
    /// second call does nothing more.
    public func stop() async {
        dialer.keepOff(nil)
        await listener.stop()
    }

    /// Closes the listener as a system would, without having been asked. For tests.
    func closeListener() {
        listener.closeListener()
    }
}

extension LocalSite {
    /// The site of a real URL; `nil` for what is no http or https URL.
    public init?(url: String) {
        guard let request = HTTPRequest(urlText: url), ["http", "https"].contains(request.scheme) else { return nil }
        let isSecure = request.scheme == "https"
        guard
            let host = request.authority.flatMap({
                HostPort($0, defaultPort: isSecure ? 443 : 80)
            })
        else { return nil }
        self.init(host, isSecure: isSecure)
    }
}

extension LocalServer {
    /// What a local server is made of, and what it takes at most.
    public struct Configuration: Sendable {
        /// Answers the requests, which it gets with their real URLs.
        public var loader: any ResourceLoader
        /// Says of requests what the server cannot know.
        public var completing: any RequestCompleting
        /// Has the engine trust the server's certificates.
        public var trusting: any CertificateTrusting
        /// The port to listen on, 1024 to 65535, the same in every launch: it is part of the pages' origin, and so of
        /// what they have stored. 0 for any.
        public var port: Int
        /// Hears what happens; nobody by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy, through which upgraded connections go; none by default.
        public var upstreamProxy: HostPort?
        /// Certificates (PEM) that upstream connections of upgraded requests trust in place of the system's; the
        /// system's by default. For servers of tests and of companies.
        public var trustRoots: [String]?
        /// What it takes at most.
        public var limits = LoopbackLimits()

        /// Makes a configuration with the default limits.
        public init(
            loader: any ResourceLoader, completing: any RequestCompleting, trusting: any CertificateTrusting, port: Int
        ) {
            self.loader = loader
            self.completing = completing
            self.trusting = trusting
            self.port = port
        }
    }
}
