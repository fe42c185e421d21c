// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
package import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
@_spi(Facade) internal import SchemeRouter
package import WebEngine

// The records of pages, and the decisions that other features use.
extension RequestHandler {
    /// A Boolean value that indicates whether the engine loses request bodies, so that pages pass them through the
    /// bridge.
    var losesBodies: Bool { traits.bodies == .plain }

    /// Records a frame of a page that the engine loads without the container.
    package func recordFrame(of url: String, in session: PageSession) {
        completion.recordFrame(of: url, in: session.reference)
    }

    /// Removes the records of a closed page.
    package func removePage(_ page: PageID) {
        completion.removePage(page)
    }

    /// Returns the URL that a page of this mode uses for a real URL. It is the custom-scheme URL if the URL is covered
    /// or of the page's own origin, otherwise the real URL.
    func place(of url: String, in session: PageSession?) -> String {
        let isOwn = session.flatMap { WebOrigin(url: $0.documentURL) } == WebOrigin(url: url)
        return isOwn || policy.covers(url) ? names.name(of: url) ?? url : url
    }

    /// Returns a Boolean value that indicates whether the container receives a request of a page and probably needs the
    /// network to answer it. The result is based on data in memory.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the real URL of the page.
    ///   - isOriginBound: a Boolean value that indicates whether requests of pages to other origins do not reach the
    ///     container.
    package func usesNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool {
        let disposition = policy.disposition(of: request, page: page)
        let isOwn = request.webOrigin == WebOrigin(url: page)
        guard !disposition.forbidsContent, isOwn || disposition.isIntercepted && !isOriginBound else { return false }
        guard policy.action(of: request, page: page)?.action.isResponse != true else { return false }
        return ![.get, .head].contains(request.method) || !policy.lists(request)
    }

    /// Returns a Boolean value that indicates whether a rule blocks a request that no loader performs, such as that of
    /// a WebSocket over loopback.
    package func blocks(_ request: ResourceRequest) -> Bool {
        guard let result = policy.action(of: request), case .block = result.action else { return false }
        return policy.intercepts(request.head, page: request.page?.page.documentURL)
    }

    /// Returns the response to the request for a file to be saved. The body is not modified, and redirects to any
    /// origin are followed, because only the app reads the file.
    /// - Throws: `ResourceError`, also for a redirect from https to http and for too many redirects.
    package nonisolated(nonsending) func answer(saving resolved: ResolvedRequest) async throws -> ResourceResponse {
        var request = resolved.request
        try complete(&request, of: resolved)
        request.destination = .unknown
        request.isSaved = true
        var disposition = resolved.disposition
        for _ in 0...Redirect.limit {
            let loader = disposition.forbidsContent ? loaders.savedBypass : loaders.saved
            guard let response = try await loader.load(request) else {
                throw ResourceError(.internal, "no loader has a response", at: request.head.urlText)
            }
            guard let redirect = try names.redirect(of: response.head, to: request.head) else { return response }
            guard request.head.scheme != "https" || redirect.target.hasPrefix("https:") else {
                throw ResourceError(.blocked, "redirect from https to http", at: redirect.target)
            }
            var hop = try redirect.following(request)
            completion.complete(&hop, after: request)
            request = hop
            disposition = policy.disposition(of: hop.head, page: resolved.session?.documentURL)
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: request.head.urlText)
    }

    /// Records the mode in which a document was shown, for the next pages of its origin.
    ///
    /// A document is not recorded if it is at a custom-scheme URL that its mode does not use. It is not recorded either
    /// if it is plain because of the app's rules or of remote config.
    /// - Parameters:
    ///   - url: the real URL.
    ///   - isIntercepted: a Boolean value that indicates whether the document was shown at its custom-scheme URL.
    package func recordDocument(_ url: String, isIntercepted: Bool) {
        guard let origins = policy.origins, let request = HTTPRequest(urlText: url) else { return }
        if isIntercepted {
            guard policy.opensByName(documentAt: url) else { return }
        } else {
            guard policy.disposition(ofDocumentAt: url) == .bypass(.uncovered), !policy.hasNames(on: request) else {
                return
            }
        }
        origins.record(isIntercepted, of: url)
    }
}

extension ResourceResponse {
    /// Returns a page that navigates to a real URL without a history entry. Its script adds the fragment, which the
    /// request does not contain.
    static func leading(to url: String) throws -> ResourceResponse {
        // A JavaScript string literal that cannot end the enclosing script element.
        let literal = try String(decoding: JSONEncoder().encode(url), as: UTF8.self).replacing("<", with: "\\u003c")
        let page = "<!DOCTYPE html><meta charset=utf-8><script>location.replace(\(literal)+location.hash)</script>"
        var response = ResourceResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"]),
            body: .bytes(Data(page.utf8)), provenance: Provenance(.synthetic, reason: "a page of another mode"),
            isInterim: true)
        response.movedTo = url
        return response
    }
}
