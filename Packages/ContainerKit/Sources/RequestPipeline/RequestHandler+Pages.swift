// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
internal import SchemeRouter
package import WebEngine

// The pages of a request handler: what is recorded of them, and what other features read of the decisions.
extension RequestHandler {
    /// A Boolean value that indicates whether the engine loses bodies of requests that pages can hand over otherwise.
    var losesBodies: Bool { traits.bodies == .plain }

    /// Records that a page shows another document.
    func documentChanged(of session: PageSession) {
        completion.documentChanged(in: session.id, to: session.documentURL)
    }

    /// Records a frame of a page that the engine loads past the container.
    package func recordFrame(of url: String, in session: PageSession) {
        completion.recordFrame(of: url, in: session.reference)
    }

    /// Removes the records of a page that is closed.
    package func forget(_ page: PageID) {
        rewriteRecord.forget(page)
        documentRedirects.forget(page)
        completion.forget(page)
    }

    /// Returns `true` if a document in a frame may be shown below these real origins.
    func mayShow(documentAt url: String, below ancestors: [String]) -> Bool {
        completion.mayShow(documentAt: url, below: ancestors)
    }

    /// Returns the URL that a page of this mode has for a real URL: its custom-scheme URL, if the page would request it by
    /// that.
    func place(of url: String, in session: PageSession?) -> String {
        let isOwn = session.flatMap { WebOrigin(url: $0.documentURL) } == WebOrigin(url: url)
        return isOwn || policy.covers(url) ? names.name(of: url) ?? url : url
    }

    /// Returns `true` if a request of a page comes to the container and, as far as is known without reading, needs the
    /// network.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the real URL of the page.
    ///   - isOriginBound: whether pages reach other origins past the container.
    package func asksNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool {
        let disposition = policy.disposition(of: request, page: page)
        let isOwn = request.webOrigin == WebOrigin(url: page)
        guard !disposition.forbidsContent, isOwn || disposition.isIntercepted && !isOriginBound else { return false }
        return ![.get, .head].contains(request.method) || !policy.lists(request)
    }

    /// Answers the request for a file that is saved: with its bytes as they come, from wherever redirects lead, because only
    /// the app reads them.
    package nonisolated(nonsending) func answer(saving resolved: ResolvedRequest) async throws -> ResourceResponse {
        var request = resolved.request
        try complete(&request, of: resolved)
        request.destination = .unknown
        request.isSaved = true
        var disposition = resolved.disposition
        for _ in 0...Redirect.limit {
            let loader = disposition.forbidsContent ? loaders.savedBypass : loaders.saved
            guard let response = try await loader.load(request) else {
                throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
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
    /// - Parameters:
    ///   - url: the real URL.
    ///   - isIntercepted: whether it was shown at its custom-scheme URL. A document is not recorded if it is at such a URL
    ///     although its mode has none, or plain because of the app's own rules or of remote config.
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
