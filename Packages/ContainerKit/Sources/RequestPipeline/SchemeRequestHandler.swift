// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import BodyBridge
@_spi(Facade) package import CookieBridge
internal import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
package import WebEngine

/// Answers the requests that engines send by a custom scheme: joins them with what their pages have handed over, passes
/// them through the steps of a ``RequestHandler``, and delivers the responses.
///
/// Isolation: the main actor, where engines live.
@MainActor
package final class SchemeRequestHandler {
    /// The bridges of pages; `nil` if the engine loses nothing, and no bridge is forced.
    let bridges: BodyBridgeHost?
    /// The bridges of older pages; `nil` if the configuration has none.
    package let legacy: LegacyBridgeHost?
    /// The reasons why documents could not be loaded.
    package let failures = DocumentFailures()
    let path: RequestHandler
    let sites: SiteController?
    let posts = OpeningPosts()
    let forcedBridges: ForcedBridges
    let cookies: CookieSynchronizer?
    let host: any RequestDeliveryHost

    /// Creates a handler.
    /// - Parameters:
    ///   - path: the handler of the mode.
    ///   - cookies: the cookies of pages whose engine has none; `nil` if the engine stores them.
    ///   - isOfPages: whether pages are at custom-scheme URLs.
    ///   - forcedBridges: the bridges that pages over loopback get.
    ///   - legacyMessages: the messages of older pages; `nil` for none.
    ///   - bodyBudget: the memory of the bodies of all pages.
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
                host: BridgeHost(path: path, names: path.names, cookies: cookies?.pages)) : nil
        legacy = legacyMessages.map { LegacyBridgeHost($0, names: path.names, budget: bodyBudget) }
        sites = isOfPages ? SiteController(names: path.names) : nil
    }

    // MARK: Pages

    /// Gives a view the bridges and content rules of a page, before it loads anything.
    /// - Parameters:
    ///   - page: the page.
    ///   - view: the view of the page.
    ///   - place: the URL that the view is to load.
    ///   - post: the POST for the document of the page; `nil` if it is requested by GET.
    /// - Throws: `EngineError` if the engine refuses the rules.
    package func begin(
        _ page: PageSession, in view: some EngineView, at place: String, posting post: OpeningPosts.Post?
    ) async throws {
        if let bridges, let forced = forcedParts(in: page.mode) {
            bridges.begin(in: view, for: page.documentURL, besides: legacy, forced: forced)
        } else if page.mode != .plain {
            legacy?.begin(in: view)
        }
        try await sites?.begin(in: view, for: page.mode == .customScheme ? page.documentURL : nil, bridges)
        if var post {
            post.place = HTTPRequest(urlText: place)?.urlText ?? place
            posts.hold(post, for: view.id)
        }
    }

    /// Returns the bridges that are forced on pages of a mode: none if the engine needs them all; `nil` if a page has none.
    private func forcedParts(in mode: InterceptionMode) -> ForcedBridges? {
        if mode == .customScheme { return path.losesBodies ? [] : nil }
        return mode.isOverLoopback && !forcedBridges.isEmpty ? forcedBridges : nil
    }

    /// Records that a page shows another document, which gets nothing of what the one before has handed over.
    package func documentChanged(of page: PageSession) {
        path.documentChanged(of: page)
        bridges?.documentChanged(to: page.documentURL, in: page.view)
        legacy?.documentChanged(to: page.documentURL, in: page.view)
        posts.forget(page.view)
    }

    /// Removes what some of the pages have handed over.
    package func removeAll(where isMeant: (ViewID) -> Bool) {
        bridges?.removeAll(where: isMeant)
        legacy?.removeAll(where: isMeant)
        posts.removeAll(where: isMeant)
    }

    /// Removes what belongs to the page of a view that ends.
    package func end(in view: ViewID) {
        bridges?.end(in: view)
        sites?.end(in: view)
        legacy?.end(in: view)
        posts.forget(view)
    }
}
