// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import Logging
internal import ResourceLoading
package import SchemeMode
package import WebEngine

/// Intercepts the requests of pages over loopback: owns the proxy of the mode `loopbackProxy` or the local server of
/// the mode `loopbackServer`, and the attribution of requests to pages.
///
/// Isolation: the main actor. The engine is not retained.
@MainActor
package final class LoopbackController<Engine: WebEngineDriver> {
    /// The mode, `loopbackProxy` or `loopbackServer`.
    package let mode: InterceptionMode
    /// The open pages to which requests are attributed.
    package let pages: PageAttributor
    private let pipeline: any LoopbackPipeline
    /// `nil` in the mode `loopbackServer`.
    private let proxy: ProxyController<Engine>?
    /// `nil` in the mode `loopbackProxy`.
    private let server: LocalServerController<Engine>?

    /// Creates the controller, and starts to listen if interception is on.
    /// - Parameters:
    ///   - engine: the engine.
    ///   - mode: the mode, which is over loopback.
    ///   - options: the options of the proxy or the server.
    ///   - directory: the container's folder, in which the port of the server is stored.
    ///   - names: the schemes of pages of the mode `customScheme`; `nil` if that mode is not in use.
    ///   - isUsed: a Boolean value that indicates whether interception is on.
    ///   - logger: the logger.
    ///   - ports: the ports to the rest of the container.
    /// - Throws: `LoopbackError`.
    package init(
        _ engine: Engine, in mode: InterceptionMode, _ options: LoopbackOptions, directory: String,
        names: SchemeNames?, isUsed: Bool, logger: Logger, ports: LoopbackPorts
    ) async throws {
        precondition(mode.isOverLoopback)
        self.mode = mode
        self.isUsed = isUsed
        let pages = PageAttributor(names: names)
        self.pages = pages
        pipeline = ports.pipeline
        let requests = LoopbackRequests(
            pipeline: ports.pipeline, pages: pages, bodies: ports.bodies, observer: ports.observer)
        if mode == .loopbackProxy {
            server = nil
            proxy = try await ProxyController(
                engine, requests, options, isUsed: isUsed, logger: logger, host: ports.host)
        } else {
            proxy = nil
            server = try await LocalServerController(
                engine, requests, options, directory: directory, isUsed: isUsed, logger: logger, host: ports.host)
        }
    }

    // MARK: Listening

    /// A Boolean value that indicates whether interception is on. If it is off, the engine does not use the proxy; the
    /// local server listens on.
    package var isUsed: Bool {
        didSet { proxy?.isUsed = isUsed }
    }

    /// The number of events and reports that were dropped.
    package var lostReports: Int { proxy?.lostReports ?? server?.lostReports ?? 0 }

    /// The port of the local server; `nil` while it does not listen, and in the mode `loopbackProxy`.
    package var port: Int? { server?.port }

    /// Makes the proxy listen, if it is used, before a page opens. The local server is started by ``open(_:)``.
    /// - Throws: `LoopbackError`; the engine then loads without the proxy.
    package func ready() async throws { try await proxy?.ready() }

    /// Makes the proxy or the server listen again after a suspension, in which the system may have closed the listener.
    /// If that fails, it is tried again when a page opens.
    package func resume() async {
        try? await proxy?.ready()
        try? await server?.resume()
    }

    /// Applies changes of what is intercepted to the proxy's connections.
    package func policyChanged() { proxy?.policyChanged() }

    /// Lets requests in flight finish, stops the proxy or the server, and gives the engine its former proxy.
    package func shutDown() async {
        await proxy?.shutDown()
        await server?.shutDown()
    }

    // MARK: URLs

    /// Prepares the engine for a page.
    /// - Parameter url: the page's real URL.
    /// - Returns: the page's URL in the engine; `nil` if the URL has no site that the local server can serve.
    /// - Throws: `LoopbackError` if the local server cannot listen; `EngineError` if the engine does not keep its
    ///   token.
    package func open(_ url: String) async throws -> String? {
        guard let server else { return url }
        return try await server.open(url)
    }

    /// Returns the URL in the engine for a real URL of a page of this mode; `nil` while the local server does not
    /// listen.
    package func place(of url: String) -> String? {
        guard let server else { return url }
        return server.place(of: url)
    }

    /// Returns the real URL for a URL at the local server; `nil` for other URLs.
    package func realURL(of place: String) -> String? { server?.realURL(of: place) }

    /// Returns a Boolean value that indicates whether requests of the engine for a URL are reported by the proxy or the
    /// local server, so that the engine's own report is superfluous.
    package func reportsRequests(for url: String) -> Bool {
        if let server { return server.realURL(of: url) != nil }
        return HTTPRequest(urlText: url).map(pipeline.opens(originOf:)) ?? false
    }

    // MARK: Connections made ahead

    /// Records a page that opens, as a hint to the origins of the next pages.
    package func pageDidOpen(_ session: PageSession) { proxy?.pageDidOpen(session) }

    /// Makes the engine connect to the proxy for the origins of the next pages, and returns when the connections are
    /// there, or after one second. Does nothing in the mode `loopbackServer`.
    /// - Parameters:
    ///   - view: a view that shows a blank page.
    ///   - places: URLs whose origins come after those of the last pages, such as those of packages.
    ///   - isWanted: a predicate that returns `true` if a page at a URL opens in this mode.
    package func preconnect(
        in view: some EngineView, besides places: [String], where isWanted: (String) -> Bool
    ) async {
        await proxy?.preconnect(in: view, besides: places) { isWanted($0) && reportsRequests(for: $0) }
    }

    // MARK: Cookies

    /// Returns a Boolean value that indicates whether a cookie of the engine is the access token of the local server,
    /// which belongs to no page.
    package func isToken(_ cookie: EngineCookie) -> Bool { server?.isToken(cookie) ?? false }

    /// Returns a cookie of the engine as the real host of a page has it; `nil` for the token, and for cookies of other
    /// sites of the local server.
    package func cookie(_ cookie: EngineCookie, ofPageAt url: String) -> EngineCookie? {
        guard let server else { return cookie }
        return server.cookie(cookie, ofPageAt: url)
    }
}
