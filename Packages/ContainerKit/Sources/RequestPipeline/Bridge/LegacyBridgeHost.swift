// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import BodyBridge
@_spi(Facade) internal import CookieBridge
package import Foundation
internal import HTTPTypes
internal import PublicSuffixList
package import ResourceLoading
internal import SchemeMode
package import WebEngine

/// The pages of older apps, as their bridges need them.
///
/// Isolation: the main actor.
@MainActor
package protocol LegacyPageHost: AnyObject {
    /// Returns the real URL of a document.
    /// - Parameter place: the URL of the document in the engine.
    func realURL(of place: String) -> String

    /// Returns the response to a page's message as JSON; `nil` if there is none.
    /// - Throws: an error if the message is invalid; `CancellationError`.
    func prefetched(for message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data?
}

/// What older pages say to the app, where the host has switched that on: their bodies, by view and origin, and their
/// cookies.
///
/// Isolation: the main actor.
@MainActor
package final class LegacyBridgeHost: LegacyHosting {
    package nonisolated let messages: LegacyMessages
    private let schemes: [String: String]
    private let suffixes = SuffixList()
    private let budget: ByteBudget
    private var bridges: [ViewID: LegacyBridge] = [:]
    /// The real URLs of the documents that the views show, without fragments, where the engine has said them.
    private var documents: [ViewID: String] = [:]
    /// The pages, which are not retained.
    package weak var pages: (any LegacyPageHost)?

    /// - Parameter budget: what the bodies of all pages are taken from.
    init(_ messages: LegacyMessages, names: SchemeNames, budget: ByteBudget) {
        self.messages = messages
        self.budget = budget
        schemes = ["https": "https", "http": "http", names.secure: "https", names.insecure: "http"]
    }

    /// Makes a view's bridge.
    /// - Parameter token: that of the view's other bridge, whose dialogs are answered by both.
    func makeBridge(in view: ViewID, token: BridgeToken = BridgeToken()) -> LegacyBridge {
        let bridge = LegacyBridge(
            messages, token: token, limits: .init(within: budget), budget: budget, host: self)
        bridges[view] = bridge
        return bridge
    }

    /// Gives a view its bridge where it has no other, before it loads anything.
    func begin(in view: some EngineView) {
        let bridge = makeBridge(in: view.id)
        view.scripting.add(UserScript(bridge.page, at: .documentStart))
        view.scripting.answerPrompts(startingWith: bridge.prefix) { [weak bridge] in bridge?.answer(to: $0) ?? "null" }
    }

    /// The view shows another document, of this real URL: what lies here for the one before is nobody's.
    func documentChanged(to url: String, in view: ViewID) {
        guard let bridge = bridges[view] else { return }
        bridge.removeAll()
        documents[view] = HTTPRequest(urlText: url)?.urlText
    }

    /// Forgets what lies here for some of the pages.
    func removeAll(where isMeant: (ViewID) -> Bool) {
        for (view, bridge) in bridges where isMeant(view) { bridge.removeAll() }
    }

    /// The view is gone, or another page's.
    func end(in view: ViewID) {
        bridges.removeValue(forKey: view)?.removeAll()
        documents[view] = nil
    }

    // MARK: Requests

    /// The request without the parameter.
    nonisolated func bare(_ request: EngineRequest) -> EngineRequest {
        var request = request
        _ = messages.removeID(from: &request.head)
        return request
    }

    /// Takes the parameter out of a request of a view, and what was handed over for it out of the store.
    /// - Returns: `nil` where the request has no parameter, or none of what it names is needed.
    /// - Throws: `ResourceError` where the request would go out without its body.
    func removeBody(for request: inout EngineRequest) throws -> LegacyBody? {
        let carried = messages.removeID(from: &request.head)
        let view = request.view
        // Engines say nothing of who asks where a script of a custom scheme's page asks its own origin, and name all others.
        let asker = asker(of: request.head, unnamed: origin(ofDocument: request.head.urlText))
        return try removeBody(carried, for: request.head, by: asker) { [bridges] id, origin in
            view.flatMap { bridges[$0] }?.removeBody(id, for: origin)
        }
    }

    /// Completes a request that came over loopback, where the engine does not say which view asks, and has asked other
    /// origins for permission by what it knew.
    /// - Throws: `ResourceError`, also where header fields would go to another origin that nobody has permitted.
    package func complete(_ request: inout ResourceRequest) throws {
        let carried = messages.removeID(from: &request.head)
        let head = request.head
        let site = HTTPField.Name.fetchSite.flatMap { head.headerFields[$0] }
        let asker = asker(of: head, unnamed: site == "same-origin" ? head.webOrigin : nil)
        let body = try removeBody(carried, for: head, by: asker) { id, origin in
            try holder(of: id, for: origin, referrer: head.headerFields[.referer])?.removeBody(id, for: origin)
        }
        guard let body else { return }
        if asker == head.webOrigin {
            body.complete(&request.head)
        } else if let field = body.fields.first(where: { head.headerFields[$0.name] != $0.value }) {
            throw ResourceError(
                .blocked, "\(field.name) of a message is for the page's own origin alone", at: head.urlText)
        } else {
            request.head.headerFields[.contentLength] = nil
        }
        request.body = body.body(for: head.method)
    }

    /// The one view in which a body waits under an id. Pages may count their ids: of two that show one origin, the one
    /// whose document the request names is meant.
    /// - Throws: `ResourceError` with code `blocked` where more than one may be: a request goes with its own body, or not.
    private func holder(of id: String, for origin: WebOrigin, referrer: String?) throws -> LegacyBridge? {
        let holders = bridges.filter { $0.value.holds(id, for: origin) }
        guard holders.count > 1 else { return holders.first?.value }
        let meant = holders.filter { referrer != nil && documents[$0.key] == referrer }
        if meant.count == 1 { return meant.first?.value }
        throw ResourceError(.blocked, "more than one page has handed over a body under this id", at: referrer)
    }

    private func removeBody(
        _ carried: LegacyMessages.CarriedID, for head: HTTPRequest, by asker: WebOrigin?,
        from store: (String, WebOrigin) throws -> LegacyBody?
    ) throws -> LegacyBody? {
        // A preflight speaks of a request, and is none.
        guard carried != .none, head.method != .options else { return nil }
        guard case .id(let id) = carried else {
            throw ResourceError(.invalidRequest, "more than one id of a body, or none", at: head.urlText)
        }
        if let asker, let body = try store(id, asker) { return body }
        // A page that writes the parameter into all its URLs loses nothing of these.
        if [.get, .head].contains(head.method) { return nil }
        throw ResourceError(
            .invalidRequest, "no body is here for the id of the request, or it was taken", at: head.urlText)
    }

    /// The real origin of the document that asks, by fields that no page can set.
    /// - Parameter unnamed: what it is where these are missing.
    private func asker(of head: HTTPRequest, unnamed: WebOrigin?) -> WebOrigin? {
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
            throw CookieBridgeError(.wrongOrigin, "not a document that has cookies")
        }
        var rules = LegacyCookieMessage.Rules()
        rules.schemes = schemes
        rules.isPublicSuffix = { [suffixes] in suffixes.registrableDomain(of: $0) == nil }
        return try LegacyCookieMessage(json: message).line(in: document, rules: rules, now: Date())
    }
}

extension HTTPField.Name {
    /// Fetch Metadata Request Headers, section 2.4.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}
