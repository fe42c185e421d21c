// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) package import BodyBridge
@_spi(Facade) package import CookieBridge
internal import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
package import WebEngine

/// The handler of the custom-scheme requests of engines. It adds the data that pages have passed through the bridge,
/// runs the steps of a ``RequestHandler``, and delivers the responses. See `answer(_:to:)` in `RequestHandler.swift`.
///
/// Isolation: the main actor, as for engines.
@MainActor
package final class SchemeRequestHandler {
    /// The bridges of pages; `nil` if the engine needs no bridge and none is forced.
    let bridges: BodyBridgeHost?
    /// The bridges of legacy pages; `nil` if the app does not support legacy pages.
    package let legacy: LegacyBridgeHost?
    /// The errors of documents that could not be loaded.
    package let failures = DocumentFailures()
    /// The handler that resolves and answers the requests.
    let path: RequestHandler
    let sites: SiteController?
    /// The POST requests that open pages.
    package let posts = OpeningPosts<ViewID>()
    let forcedBridges: ForcedBridges
    let cookies: CookieSynchronizer?
    let host: any RequestDeliveryHost

    /// Creates a handler.
    /// - Parameters:
    ///   - path: the handler of the mode.
    ///   - cookies: the cookies of pages whose cookies the engine does not store; `nil` if the engine stores all
    ///     cookies.
    ///   - isOfPages: a Boolean value that indicates whether pages open at custom-scheme URLs.
    ///   - forcedBridges: the bridges of pages in loopback modes.
    ///   - legacyMessages: the message protocol of legacy pages; `nil` for none.
    ///   - bodyBudget: the memory budget of the request bodies of all pages.
    ///   - host: the container's side of each request.
    package init(
        _ path: RequestHandler, cookies: CookieSynchronizer?, isOfPages: Bool, forcedBridges: ForcedBridges,
        legacyMessages: LegacyMessages?, bodyBudget: ByteBudget, host: any RequestDeliveryHost
    ) {
        self.path = path
        self.cookies = cookies
        self.forcedBridges = forcedBridges
        self.host = host
        bridges =
            path.losesBodies || !forcedBridges.isEmpty
            ? BodyBridgeHost(
                names: path.names, hasCookies: cookies != nil, budget: bodyBudget,
                host: BridgeHost(path: path, cookies: cookies?.pages)) : nil
        legacy = legacyMessages.map { LegacyBridgeHost($0, names: path.names, budget: bodyBudget) }
        sites = isOfPages ? SiteController(names: path.names) : nil
    }

    // MARK: Pages

    /// Adds the bridges and the content rules of a page to its view. Must be called before the view loads a document.
    /// - Parameters:
    ///   - page: the page.
    ///   - view: the view of the page.
    ///   - place: the URL that the view is about to load.
    ///   - post: the POST for the document of the page; `nil` if it is requested by GET.
    /// - Throws: `EngineError` if the engine rejects the rules.
    package func begin(
        _ page: PageSession, in view: some EngineView, at place: String, posting post: PostNavigation?
    ) async throws {
        if let bridges, let forced = forcedParts(in: page.mode) {
            bridges.begin(in: view, for: page.documentURL, besides: legacy, forced: forced)
        } else if page.mode != .plain {
            legacy?.begin(in: view)
        }
        try await sites?.begin(in: view, for: page.mode == .customScheme ? page.documentURL : nil, bridges)
        if let post, page.mode == .customScheme {
            posts.hold(post, at: HTTPRequest(urlText: place)?.urlText ?? place, for: view.id)
        }
    }

    /// Returns the forced bridges of pages in a mode: empty if the engine needs the bridge, `nil` if pages have none.
    /// With a handler on https, the forced bridge converts bodies to bytes, which the engine does not lose.
    private func forcedParts(in mode: InterceptionMode) -> ForcedBridges? {
        if mode == .customScheme { return path.losesBodies ? [] : nil }
        if mode == .httpsTakeover { return .body }
        return mode.isOverLoopback && !forcedBridges.isEmpty ? forcedBridges : nil
    }

    /// Records that a page shows another document, and removes the bridge data of the previous document.
    package func documentChanged(of page: PageSession) {
        path.completion.documentChanged(in: page.id, to: page.documentURL)
        bridges?.documentChanged(to: page.documentURL, in: page.view)
        legacy?.documentChanged(to: page.documentURL, in: page.view)
        posts.documentChanged(at: page.view)
    }

    /// Removes the bridge data of the views for which the predicate returns `true`.
    package func removeAll(where isIncluded: (ViewID) -> Bool) {
        bridges?.removeAll(where: isIncluded)
        legacy?.removeAll(where: isIncluded)
        posts.removeAll(where: isIncluded)
    }

    /// Removes the data of a view whose page ends.
    package func end(in view: ViewID) {
        bridges?.end(in: view)
        sites?.end(in: view)
        legacy?.end(in: view)
        posts.removeAll { $0 == view }
    }
}
