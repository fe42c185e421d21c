// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
public import WebSyntax

/// The completion of requests with the fields that engines send over https but omit on custom schemes.
///
/// It also holds the state of open pages that ``RedirectFollower`` and ``RewritingLoader`` share: the frames, the
/// redirects of documents and the state of rewriting.
public struct RequestCompletion: Sendable {
    private let names: SchemeNames
    let sites: any PublicSuffixing
    private let acceptLanguage: String?
    /// The origins of the frames of pages.
    let frames = FrameOrigins()
    let framed = FramedDocuments()
    let documentRedirects = DocumentRedirects()
    let rewriteRecord = RewriteRecord()

    /// Creates a completion.
    /// - Parameters:
    ///   - names: The custom schemes of pages, used to restore `Origin` and `Referer`.
    ///   - sites: The source of registrable domains for `Sec-Fetch-Site`; by default each host is a separate site.
    ///   - acceptLanguage: The `Accept-Language` of requests that have none, limited to 128 bytes by the CORS
    ///     safelist; by default none is added.
    public init(_ names: SchemeNames, sites: (any PublicSuffixing)? = nil, acceptLanguage: String? = nil) {
        self.names = names
        self.sites = sites ?? HostSites()
        self.acceptLanguage = acceptLanguage.flatMap(CORSSafelist.languages(in:))
    }

    /// Returns the request with a URL that the page may request: an http image URL of an https page becomes https.
    /// - Parameters:
    ///   - head: The request with its real URL and the fields of the engine.
    ///   - page: The URL of the page's document, if known.
    /// - Throws: `ResourceError` with code `blocked` for mixed content.
    public func checked(_ head: HTTPRequest, in page: String?) throws -> HTTPRequest {
        // The rules also apply to an https frame in an http page.
        guard head.scheme == "http" else { return head }
        let requesters = [head.headerFields[.origin], head.headerFields[.referer]].map {
            $0.flatMap(names.realURL(of:))
        }
        return try ([page] + requesters).compactMap(\.self).reduce(head) { try MixedContent.checked($0, in: $1) }
    }

    /// Completes a request that already has its real URL.
    ///
    /// Restores `Origin` and `Referer`, limits the referrer to the default policy, determines `ResourceRequest.mode`
    /// unless it is already known to be without CORS, and sets `Sec-Fetch-*`. Adds `Accept`, `Accept-Language` and
    /// `Origin` if they are missing. Sets `ResourceRequest.mayComeFromOtherSite`.
    /// - Parameters:
    ///   - request: The engine's request with its real URL.
    ///   - opener: The URL of the document that navigates to this one or contains it; `nil` if the app opens a page.
    public func complete(_ request: inout ResourceRequest, opener: String?) {
        names.restoreOriginFields(in: &request.head.headerFields)
        request.mode = mode(of: request)
        if request.mode != .navigate, request.destination == .nestedDocument { request.destination = .subresource }
        let fields = request.head.headerFields
        let witness =
            fields[.origin].flatMap { WebOrigin(url: $0) } ?? fields[.referer].flatMap { WebOrigin(url: $0) }
            ?? opener.flatMap { WebOrigin(url: $0) }
        request.head.limitReferrer()
        let saysWho = fields[.origin] != nil || fields[.referer] != nil
        // Without `Origin` and `Referer`, a request does not show whether the page or a frame made it. This also
        // applies to requests for documents.
        let (others, uncovered) = saysWho ? ([], []) : frames.origins(in: request.page)
        // A document that the app opens or reloads has no opener, so no frame requested it.
        if opener != nil, let page = request.page.flatMap({ WebOrigin(url: $0.page.documentURL) }) {
            // Content rules prevent frames outside the container from requesting anything but documents.
            let isDocument = [.document, .nestedDocument].contains(request.destination)
            let requesters = isDocument ? others.union(uncovered) : others
            request.mayComeFromOtherSite = !requesters.allSatisfy { sites.areSameSite(page, $0) }
        }
        FetchMetadata.complete(
            &request, from: fields[.origin] == "null" ? .opaque : witness, or: others, sites: sites)
        frames.record(request)
        if request.head.headerFields[.acceptLanguage] == nil {
            request.head.headerFields[.acceptLanguage] = acceptLanguage
        }
        // Added last, because the code above classifies requests by the fields that the engine sent.
        addAccept(to: &request)
        if others.isEmpty { addOrigin(to: &request, from: witness) }
    }

    /// Completes the redirected request of a download, whose response no page reads. Limits the referrer, and sets
    /// `Sec-Fetch-Site` to the weakest value of all hops.
    /// - Parameters:
    ///   - hop: The request that follows the redirect.
    ///   - request: The redirected request.
    public func complete(_ hop: inout ResourceRequest, after request: ResourceRequest) {
        hop.head.limitReferrer()
        FetchMetadata.extend(&hop, after: request, sites: sites)
    }

    /// Adds `Accept: */*` to a request that is not a navigation and has no `Accept` (Fetch, section 4.1), such as a
    /// synchronous XMLHttpRequest.
    private func addAccept(to request: inout ResourceRequest) {
        guard request.mode != .navigate, request.head.headerFields[.accept] == nil else { return }
        request.head.headerFields[.accept] = "*/*"
    }

    /// Adds `Origin` to an unsafe same-origin request (Fetch, "append a request Origin header"). Servers check the
    /// field, but the engine omits it.
    private func addOrigin(to request: inout ResourceRequest, from requester: WebOrigin?) {
        guard request.mode != .navigate, ![.get, .head].contains(request.head.method),
            request.head.headerFields[.origin] == nil, let requester, requester == request.head.webOrigin
        else { return }
        request.head.headerFields[.origin] = requester.description
    }

    /// Returns a Boolean value that indicates whether a document in a frame may be shown below documents of the given
    /// origins.
    /// - Parameters:
    ///   - url: The real URL at which the document was requested.
    ///   - ancestors: The real origins of the ancestors; an invalid origin counts as opaque.
    public func mayShow(documentAt url: String, below ancestors: [String]) -> Bool {
        framed.mayShow(url, below: ancestors)
    }

    /// Records a frame of a page that the engine loads over http or https, without the container.
    public func recordFrame(of url: String, in page: PageReference) {
        if let origin = WebOrigin(url: url) { frames.record(origin, past: page) }
    }

    /// Records that a page shows another document.
    public func documentChanged(in page: PageID, to url: String) {
        frames.documentChanged(in: page, to: url)
    }

    /// Returns a Boolean value that indicates whether a page received a custom-scheme URL of a request's origin. By
    /// relative URLs, the page then reaches all URLs of the origin.
    public func hasNames(on request: HTTPRequest, for page: PageID) -> Bool {
        rewriteRecord.hasNames(on: request, for: page)
    }

    /// Removes the state of a closed page.
    public func removePage(_ page: PageID) {
        frames.removePage(page)
        documentRedirects.removePage(page)
        rewriteRecord.removePage(page)
    }

    private func mode(of request: ResourceRequest) -> ResourceRequest.Mode {
        let hasOrigin = request.head.headerFields[.origin] != nil
        switch request.destination {
        case .document: return .navigate
        case .nestedDocument:
            // A script may send the `Accept` value of a frame. A frame's request has only safelisted methods and
            // fields, and a GET request of a frame has no `Origin`.
            let isNamed = hasOrigin && request.head.headerFields[.origin] != "null"
            let isFrames =
                (request.head.method == .post || request.head.method == .get && !isNamed)
                && CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
            return isFrames ? .navigate : hasOrigin ? .cors : .unknown
        case .subresource, .unknown: break
        }
        // The page's script declares `no-cors`, but a request that is not safelisted always uses CORS.
        if request.mode == .noCORS, CORSSafelist.contains(request.head.method),
            CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
        {
            return .noCORS
        }
        // Measured: WebKitGTK 2.50 sends `Origin` to a custom scheme only for requests that need permission, and for
        // scripts and images that request their own origin with CORS. It does not send `Origin` for a same-origin
        // DELETE request.
        if hasOrigin { return .cors }
        return request.head.isImageRequest || request.head.isStyleRequest ? .noCORS : .unknown
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether `Accept` begins as in WebKit's requests for `<img>` and images of style
    /// sheets.
    var isImageRequest: Bool { isRequest(for: "image/") }

    /// A Boolean value that indicates whether `Accept` begins as in WebKit's requests for style sheets.
    var isStyleRequest: Bool { isRequest(for: "text/css") }

    private func isRequest(for type: String) -> Bool {
        headerFields.first { $0.name == .accept }?.value.hasPrefix(type) ?? false
    }

    /// Limits the referrer to the origin for other origins and for URLs of more than 4,096 characters (Referrer Policy,
    /// section 8.3, step 6), and removes it when an https page requests an http URL.
    ///
    /// This is Referrer Policy `strict-origin-when-cross-origin`, the default of all engines. WebKit sends the
    /// complete URL to every custom scheme, independently of the page's own policy.
    mutating func limitReferrer() {
        guard let text = headerFields[.referer], let referrer = WebOrigin(url: text),
            referrer != webOrigin || text.utf8.count > 4_096
        else { return }
        let isDowngrade = referrer.scheme == "https" && webOrigin?.isPotentiallyTrustworthy != true
        headerFields[.referer] = isDowngrade ? nil : "\(referrer)/"
    }
}
