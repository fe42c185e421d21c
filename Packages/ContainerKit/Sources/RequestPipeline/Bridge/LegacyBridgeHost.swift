// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) package import BodyBridge
@_spi(Facade) internal import CookieBridge
package import Foundation
internal import HTTPTypes
package import ResourceLoading
internal import SchemeMode
package import WebEngine

/// The container's side of legacy pages.
///
/// Isolation: the main actor.
@MainActor
package protocol LegacyPageHost: AnyObject {
    /// Returns the real URL of a document.
    /// - Parameter place: the URL of the document in the engine.
    func realURL(of place: String) -> String

    /// Returns the response to a page's prefetch message as JSON, or `nil` if there is none.
    /// - Throws: an error if the message is invalid; `CancellationError`.
    func prefetched(for message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data?
}

/// The bridges of legacy pages, if the app supports them. They carry request bodies, by view and origin, and cookies.
///
/// Isolation: the main actor.
@MainActor
package final class LegacyBridgeHost: LegacyHosting {
    package nonisolated let messages: LegacyMessages
    private let schemes: [String: String]
    private let budget: ByteBudget
    private var bridges: [ViewID: LegacyBridge] = [:]
    /// The real URLs of the views' documents, without fragments, if the engine has reported them.
    private var documents: [ViewID: String] = [:]
    /// The host of the pages, which is not retained.
    package weak var pages: (any LegacyPageHost)?
    /// A closure that is called for refused messages, with the kind, the reason and the origin of the document.
    package var onRefusal: @MainActor (_ kind: String, _ reason: String, _ origin: String) -> Void = { _, _, _ in }

    /// Creates a host without bridges.
    /// - Parameters:
    ///   - messages: the message protocol of legacy pages.
    ///   - names: the custom schemes.
    ///   - budget: the memory budget of the request bodies of all pages.
    init(_ messages: LegacyMessages, names: SchemeNames, budget: ByteBudget) {
        self.messages = messages
        self.budget = budget
        // The custom schemes are https and http themselves if the engine handles https.
        schemes = Dictionary(
            [("https", "https"), ("http", "http"), (names.secure, "https"), (names.insecure, "http")]
                + names.aliases.map { ($0, "https") }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates the legacy bridge of a view.
    /// - Parameters:
    ///   - view: the view.
    ///   - token: the token of the view's other bridge, so that both can answer its prompts.
    func makeBridge(in view: ViewID, token: BridgeToken = BridgeToken()) -> LegacyBridge {
        let bridge = LegacyBridge(
            messages, token: token, limits: .init(within: budget), budget: budget, host: self
        ) { [weak self] in self?.onRefusal($0, $1, $2) }
        bridges[view] = bridge
        return bridge
    }

    /// Adds a legacy bridge to a view without another bridge. Must be called before the view loads a document.
    func begin(in view: some EngineView) {
        let bridge = makeBridge(in: view.id)
        view.scripting.add(UserScript(bridge.page, at: .documentStart))
        view.scripting.answerPrompts(startingWith: bridge.prefix) { [weak bridge] in bridge?.answer(to: $0) ?? "null" }
    }

    /// Records that a view shows another document, and removes the data of the previous document.
    /// - Parameters:
    ///   - url: the real URL of the document.
    ///   - view: the view.
    func documentChanged(to url: String, in view: ViewID) {
        guard let bridge = bridges[view] else { return }
        bridge.removeAll()
        documents[view] = HTTPRequest(urlText: url)?.urlText
    }

    /// Removes the data of the pages in the views for which the predicate returns `true`.
    func removeAll(where isIncluded: (ViewID) -> Bool) {
        for (view, bridge) in bridges where isIncluded(view) { bridge.removeAll() }
    }

    /// Removes the bridge of a view that has ended or is used by another page.
    func end(in view: ViewID) {
        bridges.removeValue(forKey: view)?.removeAll()
        documents[view] = nil
    }

    // MARK: Requests

    /// Returns a request without the identifier of a body.
    nonisolated func bare(_ request: EngineRequest) -> EngineRequest {
        var request = request
        _ = messages.removeID(from: &request.head)
        return request
    }

    /// Removes the identifier of a body from a request, and the body from the store.
    /// - Returns: the body, or `nil` if the request has no identifier or needs no body.
    /// - Throws: `ResourceError` if the request has an identifier but no body is stored for it.
    func removeBody(for request: inout EngineRequest) throws -> LegacyBody? {
        let carried = messages.removeID(from: &request.head)
        let view = request.view
        // For a request of a custom-scheme page to its own origin, engines send neither `Origin` nor `Referer`. They
        // send one of them in all other requests.
        let requester = requesterOrigin(of: request.head, unnamed: origin(ofDocument: request.head.urlText))
        return try removeBody(carried, for: request.head, by: requester) { [bridges] id, origin in
            view.flatMap { bridges[$0] }?.removeBody(id, for: origin)
        }
    }

    /// Adds the stored body to a request that arrived over loopback. A request over loopback does not identify its
    /// view. The engine has already made the preflight for a request to another origin, without the header fields of
    /// the message.
    /// - Returns: `false`, because the engine has no stand-in for the body.
    /// - Throws: `ResourceError`. The code is `blocked` if header fields of the message would go to another origin
    ///   without its permission.
    package func complete(_ request: inout ResourceRequest) throws -> Bool {
        let carried = messages.removeID(from: &request.head)
        let head = request.head
        // Fetch Metadata Request Headers, section 2.4.
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { head.headerFields[$0] }
        let requester = requesterOrigin(of: head, unnamed: site == "same-origin" ? head.webOrigin : nil)
        let body = try removeBody(carried, for: head, by: requester) { id, origin in
            try holder(of: id, for: origin, referrer: head.headerFields[.referer])?.removeBody(id, for: origin)
        }
        guard let body else { return false }
        if requester == head.webOrigin {
            body.complete(&request.head)
        } else if let field = body.fields.first(where: { head.headerFields[$0.name] != $0.value }) {
            throw ResourceError(
                .blocked, "\(field.name) of a message may be sent to the page's own origin only", at: head.urlText)
        } else {
            request.head.headerFields[.contentLength] = nil
        }
        request.body = body.body(for: head.method)
        return false
    }

    /// Returns the bridge that stores a body with an identifier. Pages may number their bodies, so that two pages of
    /// one origin use the same identifier. In this case `Referer` selects the page.
    /// - Throws: `ResourceError` with code `blocked` if more than one page matches, because a request must not get the
    ///   body of another page.
    private func holder(of id: String, for origin: WebOrigin, referrer: String?) throws -> LegacyBridge? {
        let holders = bridges.filter { $0.value.holds(id, for: origin) }
        guard holders.count > 1 else { return holders.first?.value }
        let meant = holders.filter { referrer != nil && documents[$0.key] == referrer }
        if meant.count == 1 { return meant.first?.value }
        throw ResourceError(.blocked, "more than one page has stored a body with this identifier", at: referrer)
    }

    private func removeBody(
        _ carried: LegacyMessages.CarriedID, for head: HTTPRequest, by requester: WebOrigin?,
        from store: (String, WebOrigin) throws -> LegacyBody?
    ) throws -> LegacyBody? {
        // A preflight names the identifier but has no body.
        guard carried != .none, head.method != .options else { return nil }
        guard case .id(let id) = carried else {
            throw ResourceError(.invalidRequest, "the request must have exactly one body identifier", at: head.urlText)
        }
        if let requester, let body = try store(id, requester) { return body }
        // GET and HEAD need no body, even if a page adds the parameter to all its URLs.
        if [.get, .head].contains(head.method) { return nil }
        throw ResourceError(
            .invalidRequest, "no body is stored for the identifier of the request", at: head.urlText)
    }

    /// Returns the real origin of the document that sent a request, according to header fields that scripts cannot set.
    /// - Parameter unnamed: the origin to return if these fields are missing.
    private func requesterOrigin(of head: HTTPRequest, unnamed: WebOrigin?) -> WebOrigin? {
        guard let named = head.headerFields[.origin] ?? head.headerFields[.referer] else { return unnamed }
        return origin(ofDocument: named)
    }

    // MARK: Messages

    package func origin(ofDocument url: String) -> WebOrigin? {
        guard let origin = WebOrigin(url: pages?.realURL(of: url) ?? url), ["http", "https"].contains(origin.scheme)
        else { return nil }
        return origin
    }

    package func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data? {
        guard let view = bridges.first(where: { $0.value === bridge })?.key else { return nil }
        return try await pages?.prefetched(for: message, from: origin, in: view)
    }

    package func cookieLine(of message: Data, fromDocument url: String) throws -> String {
        guard let document = URL(string: url) else {
            throw CookieBridgeError(.wrongOrigin, "not a document that can have cookies")
        }
        return try LegacyCookieMessage(json: message).line(in: document, schemes: schemes, now: Date())
    }
}
