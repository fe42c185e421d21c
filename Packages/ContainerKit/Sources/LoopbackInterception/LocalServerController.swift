// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackServer
internal import ResourceLoading
internal import WebEngine
internal import WebSyntax

/// The controller of the local server of the mode `loopbackServer`. It starts the server on the port of the last
/// launch. For each page that opens, it stores the server's access token in the engine.
///
/// Isolation: the main actor, because engines are confined to it.
@MainActor
final class LocalServerController<Engine: WebEngineDriver> {
    private weak var engine: Engine?
    private let server: LazyListener<LocalServer>
    private let events: LoopbackEventBatcher
    private let cookies: (any LocalServerCookieSharing)?
    private let logger: Logger
    /// The open pages.
    let pages = LocalServerPages()

    /// The number of events and reports that were dropped.
    var lostReports: Int { events.lost }

    /// Creates the controller, and starts to listen if the server is in use.
    /// - Parameters:
    ///   - engine: the engine, which is not retained.
    ///   - requests: the loader of the server.
    ///   - options: the options of the server.
    ///   - proxies: the proxies of the system for connections to hosts; `nil` for none.
    ///   - addresses: the resolver of host names; `nil` for the system's.
    ///   - trusted: the certificates that upgraded requests trust in addition to those of the system.
    ///   - cookies: the receiver of the served sites; `nil` for none.
    ///   - directory: the container's directory, which stores the port.
    ///   - isUsed: a Boolean value that indicates whether the server starts now. If `false`, it starts when the first
    ///     page opens.
    ///   - logger: the logger.
    ///   - host: the receiver of events.
    /// - Throws: `LoopbackError`.
    init(
        _ engine: Engine, _ requests: LoopbackRequests, _ options: LoopbackOptions,
        proxies: SystemProxies?, addresses: (any AddressResolving)?, trusted: @escaping TrustedCertificates,
        cookies: (any LocalServerCookieSharing)?, directory: String, isUsed: Bool, logger: Logger,
        host: any LoopbackHost
    ) async throws {
        self.engine = engine
        self.cookies = cookies
        self.logger = logger
        let batcher = LoopbackEventBatcher(of: "server", logger: logger, to: host) { [pages] event in
            if case .listening = event { pages.reloadIfPortChanged() }
        }
        self.events = batcher
        var configuration = LocalServer.Configuration(
            loader: requests, completing: requests, trusting: CertificateTrust(engine), port: 0)
        configuration.observer = batcher
        configuration.upstreamProxy = options.upstreamProxy
        configuration.systemProxies = proxies
        configuration.addresses = addresses
        configuration.trusted = trusted
        configuration.limits = options.limits
        server = LazyListener { [configuration] in
            try await Self.start(configuration, at: options.port, ServerPort(in: directory), logger)
        }
        pages.port = { [weak server] in server?.listener?.port }
        if isUsed { _ = try await server.started() }
    }

    /// Starts the server.
    /// - Parameter port: the port that the app has configured; `nil` for the port of the last launch.
    private static func start(
        _ configuration: LocalServer.Configuration, at port: Int?, _ memory: ServerPort, _ logger: Logger
    ) async throws -> LocalServer {
        var configuration = configuration
        var known = port
        if known == nil { known = await memory.stored() }
        if let known {
            configuration.port = known
            return try await LocalServer.start(configuration)
        }
        let server = try await startAnywhere(&configuration)
        // Only a port that is likely to be free in the next launch is stored.
        guard let port = server.port, port == configuration.port else { return server }
        do {
            try await memory.save(port)
        } catch {
            // Pages load, but their origin is different in the next launch.
            logger.warning("the port of the local server could not be saved", metadata: ["error": "\(error)"])
        }
        return server
    }

    /// Starts on a random port. If the port is in use, tries other random ports. After ten attempts it accepts a port
    /// that the system chooses.
    private static func startAnywhere(_ configuration: inout LocalServer.Configuration) async throws -> LocalServer {
        configuration.port = ServerPort.random()
        for _ in 0..<10 {
            let server = try await LocalServer.start(configuration)
            if server.port == configuration.port { return server }
            await server.stop()
            configuration.port = ServerPort.random()
        }
        return try await LocalServer.start(configuration)
    }

    /// The port of the server; `nil` while it does not listen.
    var port: Int? { server.listener?.port }

    /// Replaces the listener after a suspension, if the server has been started before. If the port has changed, open
    /// pages load again.
    /// - Throws: `LoopbackError`.
    func resume() async throws {
        _ = try await server.listener?.renewListener()
        pages.reloadIfPortChanged()
    }

    /// Serves the site of a page, and stores the cookies of its host and the access token for it in the engine.
    /// - Parameter url: the page's real URL.
    /// - Returns: the page's URL at the server, or `nil` if the URL has no site.
    /// - Throws: `LoopbackError` if the server cannot listen; `EngineError` if the engine does not store the token;
    ///   `CancellationError`.
    func open(_ url: String) async throws -> String? {
        let server = try await server.started()
        let port = try await server.resume()
        pages.reloadIfPortChanged()
        guard let page = LocalServer.url(of: url, at: port) else { return nil }
        server.serve(page.site)
        try await serveCookies(of: url, at: page.site.name)
        try await storeToken(
            EngineCookie(
                name: AccessToken.name, value: server.token.value, domain: page.site.name, isSecure: true,
                isHTTPOnly: true, sameSite: .strict))
        return page.url
    }

    /// Gives a site the cookies of its host. A page opens without them if the engine does not store them in time.
    /// - Throws: `CancellationError`.
    private func serveCookies(of url: String, at name: String) async throws {
        guard let cookies else { return }
        do {
            try await withLimit(.seconds(10), "the engine does not store the cookies of the page") {
                try await cookies.serve(url, named: name)
            }
        } catch {
            try Task.checkCancellation()
            logger.warning("a page opens without all its cookies", metadata: ["error": "\(error)"])
        }
    }

    /// Stores the access token in the engine, for each page that opens: the app may have removed all cookies, or the
    /// engine process that stores them may have been replaced. If this process has just ended, the engine loses the
    /// cookie without an error. The value is therefore read back.
    private func storeToken(_ token: EngineCookie) async throws {
        guard let cookies = engine?.cookies else { return }
        for _ in 0..<2 {
            let isKept = try await withLimit(.seconds(10), "the engine does not store the access token") {
                try await cookies.set(token)
                return try await cookies.all().contains { $0.domain == token.domain && $0.value == token.value }
            }
            if isKept { return }
        }
        throw EngineError(.cookie, "the engine does not store the access token", at: token.domain)
    }

    /// Returns a Boolean value that indicates whether a cookie is the access token, which belongs to no page.
    func isToken(_ cookie: EngineCookie) -> Bool {
        guard let token = server.listener?.token else { return false }
        return cookie.name == AccessToken.name && cookie.value == token.value
    }

    /// Returns a cookie of the engine with the real host of the page as its domain. Returns `nil` for cookies of other
    /// sites and for the access token.
    func cookie(_ cookie: EngineCookie, ofPageAt url: String) -> EngineCookie? {
        // The name of a site does not depend on the port.
        guard !isToken(cookie), let host = WebOrigin(url: url)?.host,
            let site = LocalServer.url(of: url, at: port ?? 443)?.site,
            cookie.domain == site.name || cookie.domain == "." + site.name
        else { return nil }
        var cookie = cookie
        cookie.domain = String(host)
        return cookie
    }

    /// Returns a cookie of the engine with the real host of its site as its domain, or `nil` for the access token.
    func realCookie(_ cookie: EngineCookie) -> EngineCookie? {
        guard let port else { return cookie }
        guard !isToken(cookie) else { return nil }
        var cookie = cookie
        let site = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
        if let host = realURL(of: "https://\(site):\(port)/").flatMap({ WebOrigin(url: $0)?.host }) {
            cookie.domain = String(host)
        }
        return cookie
    }

    /// Returns the URL at the server for a real URL, or `nil` if the server does not listen.
    func place(of url: String) -> String? {
        port.flatMap { LocalServer.url(of: url, at: $0)?.url }
    }

    /// Returns the real URL for a URL at the server, or `nil` for other URLs.
    func realURL(of url: String) -> String? {
        server.listener?.realURL(of: url)
    }

    /// Records the commit of a document of a page. A document of a served site at another port keeps the former URL of
    /// the page, because the server may not listen now, or may have changed its port since the load of the document.
    func page(_ page: PageID, didCommit place: String) {
        let url = realURL(of: place)
        guard url != nil || server.listener?.servesHost(of: place) != true else { return }
        pages.record(url, of: page)
    }

    /// Stops the server after its requests in progress have finished.
    func shutDown() async {
        await server.end()?.stop()
        events.close()
    }
}
