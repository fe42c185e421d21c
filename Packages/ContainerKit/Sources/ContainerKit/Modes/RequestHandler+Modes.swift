// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine

// In which mode pages open.
extension RequestHandler {
    /// Whether some pages are plain although something covers them.
    var havePlainPages: Bool { interceptionPolicy.modes.havePlain }

    /// In which mode a page of this real URL opens.
    func mode(ofPageAt url: String) -> InterceptionMode {
        interceptionPolicy.mode(ofPageAt: url)
    }

    /// Whether a page of this real URL is intercepted.
    func opens(_ url: String) -> Bool {
        interceptionPolicy.decide(documentAt: url).action == .intercept
    }

    /// Notes in which mode a document was shown, for the next pages of its origin: by name where it is intercepted, and
    /// not where a page only came to the name of something that is not; plain where nothing of its origin has a name, and
    /// not where the host's own word, or that of remote config, is why.
    func recordDocument(_ url: String, isIntercepted: Bool) {
        guard let origins = interceptionPolicy.origins, let request = HTTPRequest(urlText: url) else { return }
        let decision = interceptionPolicy.decide(documentAt: url)
        if isIntercepted {
            guard interceptionPolicy.opensByName(documentAt: url) else { return }
        } else {
            guard case .uncovered = decision.reason, !interceptionPolicy.hasNames(on: request) else { return }
        }
        origins.record(isIntercepted, of: url)
    }

    /// Whether a page by the scheme goes on to a page that another mode opens. What a page is opened with, and opened
    /// anew, stays where it is, and so does what is posted, and what is of the page's own origin and named nowhere, as
    /// that is where the origin has been opened.
    func isOfOtherMode(_ head: HTTPRequest, for session: PageSession?) -> Bool {
        guard head.method == .get, let session, HTTPRequest(urlText: session.documentURL)?.urlText != head.urlText
        else {
            return false
        }
        guard interceptionPolicy.modes.areSeveral else { return false }
        if let named = interceptionPolicy.modes.named(for: head) { return named != .customScheme }
        return head.webOrigin != WebOrigin(url: session.documentURL)
            && interceptionPolicy.intendedMode(of: head) != .customScheme
    }
}
