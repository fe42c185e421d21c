// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOCore
public import ResourceLoading
public import WebSyntax

/// A server for sites at `https://<site>.localhost:<port>`, for engines without scheme handlers or a proxy. A loader
/// receives the requests with their real URLs.
///
/// Each request must contain the token of this launch and come from a page of the same site. The app sets the token as
/// a cookie in the engine. On Linux the process must belong to the same user. If a client requests a site that was not
/// added with ``serve(_:)``, the server closes the connection without a byte. The server never lists its sites.
///
/// The system can close the listener, as phones do for suspended apps. The server then listens again by itself, or when
/// ``resume()`` detects the close. It uses the same port if the port is free. Otherwise it reports
/// ``LoopbackEvent/portTaken(_:)``, and pages have another origin.
///
/// Isolation: any. It runs on SwiftNIO's shared event loops.
public final class LocalServer: Sendable {
    /// The token that the engine must send.
    public let token: AccessToken
    /// The certificate of the authority that signs for the sites (X.509, DER). Only the app's engine should trust it.
    public let authority: [UInt8]
    private let sites: LocalSites
    private let listener: LoopbackListener

    private init(_ configuration: Configuration) throws {
        let limits = configuration.limits
        let token = AccessToken()
        let authority = try LaunchAuthority()
        let sites = LocalSites(limit: limits.hosts)
        let dependencies = LocalSiteDependencies(
            exchange: ExchangeDependencies(
                loader: configuration.loader, completing: configuration.completing, observer: configuration.observer,
                leaves: LeafStore(authority, trusting: configuration.trusting, limit: limits.hosts),
                dialer: Dialer(
                    proxy: configuration.upstreamProxy, system: configuration.systemProxies, timeout: limits.connect,
                    trusted: configuration.trusted, addresses: configuration.addresses),
                limits: limits),
            sites: sites, token: token)
        self.authority = authority.certificate
        (self.token, self.sites) = (token, sites)
        listener = LoopbackListener(limits, port: configuration.port, peerUser: configuration.peerUser) { event in
            dependencies.exchange.happened(event)
        } receive: { channel, didIdentify in
            try LocalSiteHandler.add(to: channel, dependencies, didIdentify: didIdentify)
        }
    }

    /// Creates the keys of this launch and starts listening.
    /// - Throws: ``LoopbackError`` with code `cannotListen` or `certificate`.
    public static func start(_ configuration: Configuration) async throws -> LocalServer {
        let server = try LocalServer(configuration)
        try await server.listener.listen()
        return server
    }

    /// The port on 127.0.0.1; `nil` while the server does not listen.
    public var port: Int? { listener.port }

    /// The number of open connections.
    public var connections: Int { listener.connections }

    /// Adds a site to the served sites. Above ``LoopbackLimits/hosts`` sites, the site that was added least recently is
    /// removed.
    public func serve(_ site: LocalSite) {
        sites.serve(site)
    }

    /// Returns the local URL of a page, and its site.
    /// - Parameters:
    ///   - url: A real URL. The local URL has the same fragment.
    ///   - port: The port of the server.
    /// - Returns: The URL, also for a site that is not served yet; `nil` if `url` is not an http or https URL.
    public static func url(of url: String, at port: Int) -> (url: String, site: LocalSite)? {
        guard let site = LocalSite(url: url), let request = HTTPRequest(urlText: url) else { return nil }
        let fragment = url.firstIndex(of: "#").map { String(url[$0...]) } ?? ""
        return ("https://\(site.name):\(port)\(request.path ?? "/")\(fragment)", site)
    }

    /// Returns the real URL of a local URL, or `nil` if the URL does not belong to a served site.
    public func realURL(of url: String) -> String? {
        guard let (request, place, site) = parsed(url), place.port == port else { return nil }
        let fragment = url.firstIndex(of: "#").map { String(url[$0...]) } ?? ""
        return site.origin + (request.path ?? "/") + fragment
    }

    /// Returns a Boolean value that indicates whether the host of a URL is that of a served site. The port of the URL
    /// is ignored: it may be a former port of the server.
    public func servesHost(of url: String) -> Bool { parsed(url) != nil }

    private func parsed(_ url: String) -> (request: HTTPRequest, place: HostPort, site: LocalSite)? {
        guard let request = HTTPRequest(urlText: url), request.scheme == "https",
            let place = request.authority.flatMap({ HostPort($0, defaultPort: 443) }),
            let site = sites.site(named: place.host)
        else { return nil }
        return (request, place, site)
    }

    /// Checks that the server listens, and listens again if it does not. Call this before a page opens.
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

extension LocalSite {
    /// Creates the site of a real URL, or returns `nil` if it is not an http or https URL.
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
    /// The dependencies and limits of a local server.
    public struct Configuration: Sendable {
        /// The loader for requests, which contain their real URLs.
        public var loader: any ResourceLoader
        /// The type that adds to requests the information that the server does not have.
        public var completing: any RequestCompleting
        /// The type that makes the engine trust the server's certificates.
        public var trusting: any CertificateTrusting
        /// The port, 1024 to 65535; 0 for any. It should be the same in every launch, because it is part of the
        /// pages' origin and therefore of their storage.
        public var port: Int
        /// The observer of events; none by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy for upgraded connections, in place of the proxies of the system; none by default.
        public var upstreamProxy: HostPort?
        /// The proxies of the system for upgraded connections; none by default.
        public var systemProxies: SystemProxies?
        /// The resolver of host names for upgraded connections; the system's by default.
        public var addresses: (any AddressResolving)?
        /// The certificates that upgraded requests trust in addition to those of the system; none by default.
        public var trusted: TrustedCertificates = { _ in [] }
        /// The limits of the server.
        public var limits = LoopbackLimits()
        /// A closure that returns the user at the other end of a connection. Only tests replace it.
        var peerUser: @Sendable (any Channel) -> PeerUser = { PeerUser(of: $0) }

        /// Creates a configuration with the default limits.
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
