// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackServer
internal import ResourceLoading
internal import WebEngine

/// The local server of the mode `loopbackServer`: made with the container, kept listening on the port that it had in the
/// launch before, and made known to the engine with each page that opens.
///
/// Isolation: the main actor, where engines live.
@MainActor
final class LocalServerController<Engine: WebEngineDriver> {
    private weak var engine: Engine?
    private let server: LazyListener<LocalServer>
    private let events: LoopbackEventBatcher

    /// News that did not get through.
    var lostReports: Int { events.lost }

    /// Begins to listen.
    /// - Parameters:
    ///   - directory: the container's folder, where the port is kept.
    ///   - isUsed: where it is not, nothing listens until a page opens.
    /// - Throws: `LoopbackError`.
    init(
        _ engine: Engine, _ requests: LoopbackRequests, _ options: LoopbackOptions, directory: String,
        isUsed: Bool, logger: Logger,
        send: @escaping @MainActor (ContainerEvent) -> Void, record: @escaping @MainActor (ExchangeReport) -> Void
    ) async throws {
        self.engine = engine
        let batcher = LoopbackEventBatcher(of: "server", logger: logger, send: send, record: record)
        self.events = batcher
        var configuration = LocalServer.Configuration(
            loader: requests, completing: requests, trusting: CertificateTrust(engine), port: 0)
        configuration.observer = batcher
        configuration.upstreamProxy = options.upstreamProxy
        configuration.trustRoots = options.trustRoots
        configuration.limits = options.limits
        server = LazyListener { [configuration] in
            try await Self.start(configuration, at: options.port, ServerPort(in: directory), logger)
        }
        if isUsed { _ = try await server.begun() }
    }

    /// - Parameter port: the host's word; `nil` for the port of the launch before.
    private static func start(
        _ configuration: LocalServer.Configuration, at port: Int?, _ memory: ServerPort, _ logger: Logger
    ) async throws -> LocalServer {
        var configuration = configuration
        if let port {
            configuration.port = port
            return try await LocalServer.start(configuration)
        }
        if let port = await memory.stored() {
            configuration.port = port
            return try await LocalServer.start(configuration)
        }
        let server = try await startAnywhere(&configuration)
        // Only one that will be free the next time, too, is kept.
        guard let port = server.port, port == configuration.port else { return server }
        do {
            try await memory.keep(port)
        } catch {
            // Pages work, but the next launch has another origin for them.
            logger.warning("the server's port is not kept", metadata: ["error": "\(error)"])
        }
        return server
    }

    /// On a port that is drawn; a few times, where it is taken.
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

    /// Where it listens; `nil` while it does not.
    var port: Int? { server.listener?.port }

    /// Sees to it that it listens, where it did.
    /// - Throws: `LoopbackError`.
    func ready() async throws {
        _ = try await server.listener?.resume()
    }

    /// Has a page's site served, and the engine served there.
    /// - Parameter url: the page's real URL.
    /// - Returns: where the page lies.
    /// - Throws: ``ContainerError`` with code `server`.
    func open(_ url: String) async throws -> String {
        do {
            let server = try await server.begun()
            let port = try await server.resume()
            guard let page = LocalServer.url(of: url, at: port) else {
                throw ContainerError(.server, "no site", at: url)
            }
            server.serve(page.site)
            try await handOver(
                EngineCookie(
                    name: server.token.name, value: server.token.value, domain: page.site.name, isSecure: true,
                    isHTTPOnly: true, sameSite: .strict))
            return page.url
        } catch let error as ContainerError {
            throw error
        } catch {
            throw ContainerError(.server, "the local server is not there: \(error)", at: url)
        }
    }

    /// Gives the engine the token, each time that a page opens: an app may have removed all cookies meanwhile, or the
    /// process that has them may be another one. Where that has just ended, what it is told is lost, and no error says so.
    private func handOver(_ token: EngineCookie) async throws {
        guard let cookies = engine?.cookies else { return }
        for _ in 0..<2 {
            let isKept = try await withLimit(.seconds(10), "the engine does not take the token") {
                try await cookies.set(token)
                return try await cookies.all().contains { $0.domain == token.domain && $0.value == token.value }
            }
            if isKept { return }
        }
        throw EngineError(.cookie, "the engine does not keep the token", at: token.domain)
    }

    /// Whether a cookie is the token, which is no page's.
    func isToken(_ cookie: EngineCookie) -> Bool {
        guard let token = server.listener?.token else { return false }
        return cookie.name == token.name && cookie.value == token.value
    }

    /// A cookie of the engine as the real host of a page has it, whose site has its cookies to itself; `nil` for those
    /// of other sites, and for the token.
    func cookie(_ cookie: EngineCookie, ofPageAt url: String) -> EngineCookie? {
        // A site has the same name at each port.
        guard !isToken(cookie), let host = WebOrigin(url: url)?.host,
            let site = LocalServer.url(of: url, at: port ?? 443)?.site,
            cookie.domain == site.name || cookie.domain == "." + site.name
        else { return nil }
        var cookie = cookie
        cookie.domain = String(host)
        return cookie
    }

    /// Where a URL lies here; `nil` while nobody listens.
    func place(of url: String) -> String? {
        port.flatMap { LocalServer.url(of: url, at: $0)?.url }
    }

    /// The real URL of one of a page; `nil` for one that is not the server's.
    func realURL(of url: String) -> String? {
        server.listener?.realURL(of: url)
    }

    /// Lets requests in flight finish, and ends it.
    func shutDown() async {
        await server.end()?.stop()
        events.close()
    }
}
