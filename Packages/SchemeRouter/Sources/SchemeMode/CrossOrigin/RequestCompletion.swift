// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
public import WebSyntax

/// Gives a page's request what it would have had on https, for engines that leave it out on custom schemes.
public struct RequestCompletion: Sendable {
    private let names: SchemeNames
    private let sites: any PublicSuffixing
    private let acceptLanguage: String?
    /// The origins of the frames of pages.
    let frames = FrameOrigins()
    let framed = FramedDocuments()

    /// - Parameters:
    ///   - names: the custom schemes of pages, by which `Origin` and `Referer` get their real values.
    ///   - sites: by which `Sec-Fetch-Site` says `same-site`; each host is one of its own by default.
    ///   - acceptLanguage: what requests say of the user's languages that say nothing themselves, as far as CORS lets all
    ///     requests say it, in 128 bytes; nothing by default.
    public init(_ names: SchemeNames, sites: any PublicSuffixing = .hosts, acceptLanguage: String? = nil) {
        self.names = names
        self.sites = sites
        self.acceptLanguage = acceptLanguage.flatMap(CORSSafelist.languages(in:))
    }

    /// The request with a URL that the page may ask for.
    /// - Parameters:
    ///   - head: with the real URL; its fields are still the engine's.
    ///   - page: the URL of the page's document, where one is known.
    /// - Throws: `ResourceError` with code `blocked` for mixed content.
    public func checked(_ head: HTTPRequest, in page: String?) throws -> HTTPRequest {
        // A frame of https is held to it in a page of http, too.
        guard head.scheme == "http" else { return head }
        let asking = [head.headerFields[.origin], head.headerFields[.referer]].map { $0.flatMap(names.realURL(of:)) }
        return try ([page] + asking).compactMap(\.self).reduce(head) { try MixedContent.checked($0, in: $1) }
    }

    /// Completes a request whose URL is the real one: `Origin` and `Referer` with real values, the referrer no longer
    /// than policies allow, `ResourceRequest.mode` where it is not without CORS already, `Sec-Fetch-*`, and `Accept`,
    /// `Accept-Language` and `Origin` where they are missing. Sets `ResourceRequest.mayComeFromOtherSite`.
    /// - Parameters:
    ///   - request: the request as the engine sent it, but with its real URL.
    ///   - opener: the URL of the document that leads to this one, or that this one lies in; `nil` where the app opens
    ///     a page.
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
        // A frame that opens a document, its own or the page's, is in the request no more than one whose element asks.
        let (others, uncovered) = saysWho ? ([], []) : frames.origins(in: request.page)
        // A document that the app opens or reloads has no opener, so no frame asked for it.
        if opener != nil, let page = request.page.flatMap({ WebOrigin(url: $0.page.documentURL) }) {
            // Content rules keep frames past the container from all but documents.
            let isDocument = [.document, .nestedDocument].contains(request.destination)
            let asking = isDocument ? others.union(uncovered) : others
            request.mayComeFromOtherSite = !asking.allSatisfy { sites.areSameSite(page, $0) }
        }
        FetchMetadata.complete(
            &request, from: fields[.origin] == "null" ? .opaque : witness, or: others, sites: sites)
        frames.record(request)
        if request.head.headerFields[.acceptLanguage] == nil {
            request.head.headerFields[.acceptLanguage] = acceptLanguage
        }
        // Now, since how a request is told from others is by what the engine itself sends.
        addAccept(to: &request)
        if others.isEmpty { addOrigin(to: &request, from: witness) }
    }

    /// Completes the next hop of a request that was redirected, and that no page reads: its referrer is no longer than
    /// policies allow there, and `Sec-Fetch-Site` says the weakest claim of all hops.
    /// - Parameters:
    ///   - hop: the request that follows the redirect.
    ///   - request: the request that was redirected.
    public func complete(_ hop: inout ResourceRequest, after request: ResourceRequest) {
        hop.head.limitReferrer()
        FetchMetadata.extend(&hop, after: request, sites: sites)
    }

    /// What is no document and says nothing takes everything (Fetch, section 4.1): a synchronous XMLHttpRequest.
    private func addAccept(to request: inout ResourceRequest) {
        guard request.mode != .navigate, request.head.headerFields[.accept] == nil else { return }
        request.head.headerFields[.accept] = "*/*"
    }

    /// Fetch, "append a request Origin header": servers look for it in what changes something, and the engine leaves it out
    /// where a page asks its own origin.
    private func addOrigin(to request: inout ResourceRequest, from asking: WebOrigin?) {
        guard request.mode != .navigate, ![.get, .head].contains(request.head.method),
            request.head.headerFields[.origin] == nil, let asking, asking == request.head.webOrigin
        else { return }
        request.head.headerFields[.origin] = asking.description
    }

    /// Returns a Boolean value that indicates whether a document that a frame has been given may be shown below documents
    /// of these origins.
    /// - Parameters:
    ///   - url: the real URL that the document was asked for at.
    ///   - ancestors: real origins; what is none counts as an opaque origin.
    public func mayShow(documentAt url: String, below ancestors: [String]) -> Bool {
        framed.mayShow(url, below: ancestors)
    }

    /// Notes a frame of a page that the engine loads past the container, by http or https.
    public func recordFrame(of url: String, in page: PageReference) {
        if let origin = WebOrigin(url: url) { frames.record(origin, past: page) }
    }

    /// Notes that a page shows another document.
    public func documentChanged(in page: PageID, to url: String) {
        frames.documentChanged(in: page, to: url)
    }

    /// Forgets a page that is closed.
    public func forget(_ page: PageID) {
        frames.forget(page)
    }

    private func mode(of request: ResourceRequest) -> ResourceRequest.Mode {
        let hasOrigin = request.head.headerFields[.origin] != nil
        switch request.destination {
        case .document: return .navigate
        case .nestedDocument:
            // A script may ask with a frame's `Accept`, but no frame asks so: nor does one say its origin with a GET.
            let isNamed = hasOrigin && request.head.headerFields[.origin] != "null"
            let isFrames =
                (request.head.method == .post || request.head.method == .get && !isNamed)
                && CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
            return isFrames ? .navigate : hasOrigin ? .cors : .unknown
        case .subresource, .unknown: break
        }
        // The page's script says so, but with more than the safelist has it asks by CORS all the same.
        if request.mode == .noCORS, CORSSafelist.contains(request.head.method),
            CORSSafelist.unsafeNames(in: request.head.headerFields).isEmpty
        {
            return .noCORS
        }
        // Measured: WebKitGTK 2.50 sends `Origin` to a custom scheme for what has to be permitted alone, and for scripts
        // and pictures that ask their own origin in that manner; not for a DELETE within an origin.
        if hasOrigin { return .cors }
        return request.head.asksForImage || request.head.asksForStyle ? .noCORS : .unknown
    }
}

extension HTTPRequest {
    /// WebKit asks so for `<img>` and pictures of style sheets.
    var asksForImage: Bool { asks(for: "image/") }

    /// WebKit asks so for style sheets.
    var asksForStyle: Bool { asks(for: "text/css") }

    private func asks(for type: String) -> Bool {
        headerFields.first { $0.name == .accept }?.value.hasPrefix(type) ?? false
    }

    /// Shows another origin the origin of the page alone, and a URL without TLS nothing of a page that has it.
    ///
    /// Referrer Policy, strict-origin-when-cross-origin: the default of all engines. WebKit sends the whole URL to every
    /// custom scheme, whatever the page's own policy is.
    mutating func limitReferrer() {
        guard let referrer = headerFields[.referer].flatMap({ WebOrigin(url: $0) }),
            referrer != webOrigin
        else { return }
        let isDowngrade = referrer.scheme == "https" && webOrigin?.isPotentiallyTrustworthy != true
        headerFields[.referer] = isDowngrade ? nil : "\(referrer)/"
    }
}
