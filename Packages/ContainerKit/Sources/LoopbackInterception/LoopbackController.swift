// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import Logging
package import ResourceLoading
package import SchemeMode
package import WebEngine

/// The controller of interception over loopback. It owns the proxy of the mode `loopbackProxy` or the local server of
/// the mode `loopbackServer`, and attributes requests to pages.
///
/// Isolation: the main actor. The engine is not retained.
@MainActor
package final class LoopbackController<Engine: WebEngineDriver> {
    /// The mode, `loopbackProxy` or `loopbackServer`.
    package let mode: InterceptionMode
    /// The attributor of requests to open pages.
    package let pages: PageAttributor
    private let pipeline: any LoopbackPipeline
    /// The controller of the proxy; `nil` in the mode `loopbackServer`.
    let proxy: ProxyController<Engine>?
    /// The controller of the local server; `nil` in the mode `loopbackProxy`.
    private let server: LocalServerController<Engine>?

    /// Creates the controller, and starts to listen if interception is on.
    /// - Parameters:
    ///   - engine: the engine.
    ///   - mode: the mode, `loopbackProxy` or `loopbackServer`.
    ///   - options: the options of the proxy or the server.
    ///   - directory: the container's directory, which stores the port of the server.
    ///   - names: the custom schemes; `nil` if the mode `customScheme` is not in use.
    ///   - isUsed: a Boolean value that indicates whether interception is on.
    ///   - logger: the logger.
    ///   - clock: the clock of the time limit for the proof of the proxy.
    ///   - ports: the ports to the rest of the container.
    /// - Throws: `LoopbackError`.
    package init(
        _ engine: Engine, in mode: InterceptionMode, _ options: LoopbackOptions, directory: String,
        names: SchemeNames?, isUsed: Bool, logger: Logger, clock: any Clock<Duration>, ports: LoopbackPorts
    ) async throws {
        precondition(mode.isOverLoopback)
        self.mode = mode
        self.isUsed = isUsed
        let pages = PageAttributor(names: names)
        self.pages = pages
        pipeline = ports.pipeline
        let requests = LoopbackRequests(
            pipeline: ports.pipeline, pages: pages, bodies: ports.bodies, observer: ports.observer,
            outgoing: ports.outgoing, cookies: mode == .loopbackServer ? ports.cookies : nil)
        if mode == .loopbackProxy {
            server = nil
            proxy = try await ProxyController(
                engine, requests, options, proxies: ports.proxies, addresses: ports.addresses, trusted: ports.trusted,
                isUsed: isUsed, logger: logger, clock: clock, host: ports.host)
        } else {
            proxy = nil
            server = try await LocalServerController(
                engine, requests, options, proxies: ports.proxies, addresses: ports.addresses, trusted: ports.trusted,
                cookies: ports.cookies, directory: directory, isUsed: isUsed, logger: logger, host: ports.host)
        }
    }

    // MARK: Listening

    /// A Boolean value that indicates whether interception is on. If it is `false`, the engine does not use the proxy.
    /// The local server continues to listen.
    package var isUsed: Bool {
        didSet { proxy?.isUsed = isUsed }
    }

    /// The number of events and reports that were dropped.
    package var lostReports: Int { proxy?.lostReports ?? server?.lostReports ?? 0 }

    /// The port of the local server; `nil` if it does not listen or the mode is `loopbackProxy`.
    package var port: Int? { server?.port }

    /// Makes the proxy listen before a page opens, if interception is on. ``open(_:)`` starts the local server.
    /// - Throws: `LoopbackError`. The engine then loads without the proxy.
    package func ready() async throws { try await proxy?.ready() }

    /// Proves that the engine sends its requests through the proxy, if the engine requires that and the proxy setting
    /// has changed since the last proof. Concurrent callers share one proof, which takes at most ten seconds for each
    /// setting. Only during the proof and after its success the engine uses the proxy. The host receives the result.
    /// Does nothing between ``suspend()`` and ``resume()``.
    package func prove() async { await proxy?.prove() }

    /// Waits until no proof is running. Call this method immediately before a page loads: during a proof the engine
    /// uses a proxy on which no page may depend.
    package func waitForProof() async { await proxy?.waitForProof() }

    /// Cancels a running proof before a suspension. The proof has no result, and callers of ``prove()`` return.
    package func suspend() async { await proxy?.suspend() }

    /// Replaces the listener of the proxy or the server after a suspension, during which the system may have closed it
    /// without a signal. If that fails, the next opening of a page tries again.
    ///
    /// If the port has changed, the engine uses the new port of the proxy, and open pages of the server load again. If
    /// the proxy was proven, the call waits for the proof of the new port.
    package func resume() async {
        try? await proxy?.resume()
        try? await server?.resume()
    }

    /// Applies a change of the interception policy to the existing connections of the proxy.
    package func policyChanged() { proxy?.policyChanged() }

    /// Stops the proxy or the server after its requests in progress have finished, and restores the engine's previous
    /// proxy.
    package func shutDown() async {
        await proxy?.shutDown()
        await server?.shutDown()
    }

    // MARK: URLs

    /// Prepares the engine for a page.
    /// - Parameter url: the page's real URL.
    /// - Returns: the page's URL in the engine, or `nil` if the local server cannot serve the URL.
    /// - Throws: `LoopbackError` if the local server cannot listen; `EngineError` if the engine does not store the
    ///   access token.
    package func open(_ url: String) async throws -> String? {
        guard let server else { return url }
        return try await server.open(url)
    }

    /// Returns the engine URL for a real URL of a page in this mode, or `nil` if the local server does not listen.
    package func place(of url: String) -> String? {
        guard let server else { return url }
        return server.place(of: url)
    }

    /// Returns the real URL for a URL at the local server, or `nil` for other URLs.
    package func realURL(of place: String) -> String? { server?.realURL(of: place) }

    /// Returns a Boolean value that indicates whether the proxy or the local server reports the engine's requests for a
    /// URL. If so, the engine's own report is redundant.
    package func reportsRequests(for url: String) -> Bool {
        if let server { return server.realURL(of: url) != nil }
        return HTTPRequest(urlText: url).map(pipeline.opens(originOf:)) ?? false
    }

    // MARK: Pages of the server

    /// Records a page before its view loads the document.
    package func page(_ page: PageSession, willLoadIn view: any EngineView) {
        guard page.mode == .loopbackServer else { return }
        server?.pages.insert(page.id, at: page.documentURL, in: view)
    }

    /// Records the commit of a document of a page.
    /// - Parameter place: the URL of the document in the engine.
    package func page(_ page: PageID, didCommit place: String) {
        server?.page(page, didCommit: place)
    }

    /// Removes a page that is closed.
    package func pageDidClose(_ page: PageID) {
        pages.removePage(page)
        server?.pages.remove(page)
    }

    // MARK: Preconnect

    /// Records the origin of a page that opens, as a prediction of the origins of the next pages.
    package func pageDidOpen(_ session: PageSession) { proxy?.pageDidOpen(session) }

    /// Makes the engine connect to the proxy for the predicted origins of the next pages. Returns when the connections
    /// exist, or after one second. Does nothing in the mode `loopbackServer`.
    /// - Parameters:
    ///   - view: a view that shows a blank page.
    ///   - places: URLs whose origins follow those of the last pages, such as the base URLs of packages.
    ///   - isWanted: a predicate that returns `true` if a page at the URL opens in this mode.
    package func preconnect(
        in view: some EngineView, besides places: [String], where isWanted: (String) -> Bool
    ) async {
        await proxy?.preconnect(in: view, besides: places) { isWanted($0) && reportsRequests(for: $0) }
    }

    // MARK: Cookies

    /// Returns a Boolean value that indicates whether a cookie of the engine is the access token of the local server,
    /// which belongs to no page.
    package func isToken(_ cookie: EngineCookie) -> Bool { server?.isToken(cookie) ?? false }

    /// Returns a cookie of the engine with the real host of the page as its domain. Returns `nil` for the access token
    /// and for cookies of other sites of the local server.
    package func cookie(_ cookie: EngineCookie, ofPageAt url: String) -> EngineCookie? {
        guard let server else { return cookie }
        return server.cookie(cookie, ofPageAt: url)
    }

    /// Returns a cookie of the engine with the real host of its site as its domain, or `nil` for the access token of
    /// the local server, which belongs to no user.
    package func realCookie(_ cookie: EngineCookie) -> EngineCookie? {
        guard let server else { return cookie }
        return server.realCookie(cookie)
    }
}
