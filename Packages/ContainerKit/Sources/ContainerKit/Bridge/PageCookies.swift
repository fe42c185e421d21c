// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
internal import PublicSuffixList
internal import ResourceLoading

/// Which cookies go along with the requests of pages, and which come back: what an engine does that has cookies.
struct PageCookies: Sendable {
    let jar: CookieStore
    private let acceptsThirdParties: Bool
    let intake: SetCookieProcessor
    private let suffixes = SuffixList()

    init(jar: CookieStore, acceptsThirdParties: Bool) {
        self.jar = jar
        self.acceptsThirdParties = acceptsThirdParties
        intake = SetCookieProcessor(jar)
    }

    /// Where a request goes and on whose behalf; `nil` where no cookies go along: for requests of no page, for those that
    /// ask for permission, and where the page says so.
    func cookieTarget(of request: ResourceRequest) -> (url: CookieURL, context: CookieContext)? {
        guard let page = request.page?.page.documentURL, request.head.method != .options,
            mayCarry(request, of: page), let url = CookieURL(request.head.urlText)
        else { return nil }
        return (url, context(of: request, in: page))
    }

    /// Whether an answer may leave cookies: those of another site than the page's may not, as in Safari and WebKitGTK, unless
    /// the app says so.
    func accepts(from cookieTarget: (url: CookieURL, context: CookieContext)) -> Bool {
        acceptsThirdParties || cookieTarget.context != .crossSite
    }

    /// Whether the answer to a request may leave cookies, as above. A request of a page's own site is no third party's,
    /// whoever asked.
    func accepts(from cookieTarget: (url: CookieURL, context: CookieContext), for request: ResourceRequest) -> Bool {
        accepts(from: cookieTarget)
            || (request.page.map { isOfPagesSite(request, to: cookieTarget.url, in: $0.page.documentURL) } ?? false)
    }

    /// Whether a request goes to the page's site, and nothing in it shows that another site asks.
    private func isOfPagesSite(_ request: ResourceRequest, to url: CookieURL, in page: String) -> Bool {
        let asking = request.head.headerFields[.origin] ?? request.head.headerFields[.referer] ?? page
        return isSameSite(url, page) && isSameSite(url, asking)
    }

    /// Whose cookies a script sees: those of the document that it runs in.
    /// - Parameters:
    ///   - url: the document's real URL.
    ///   - top: that of the page around it.
    func cookieTarget(ofScriptAt url: String, in top: String) -> (url: CookieURL, context: CookieContext)? {
        guard let url = CookieURL(url) else { return nil }
        return (url, isSameSite(url, top) ? .sameSite : .crossSite)
    }

    /// Fetch, section 4.6, "include credentials".
    private func mayCarry(_ request: ResourceRequest, of page: String) -> Bool {
        switch request.credentials {
        case .include: return true
        case .omit: return false
        // Elements without CORS send them everywhere; all that ask for permission, but for those who say so, to their own
        // origin alone.
        case .unknown where request.mode != .cors: return true
        case .unknown, .sameOrigin:
            let fields = request.head.headerFields
            let asking = fields[.origin] ?? fields[.referer] ?? page
            return WebOrigin(url: asking) == request.head.webOrigin
        }
    }

    private func context(of request: ResourceRequest, in page: String) -> CookieContext {
        guard let url = CookieURL(request.head.urlText) else { return .crossSite }
        if isOfPagesSite(request, to: url, in: page), !request.mayComeFromOtherSite { return .sameSite }
        guard request.destination == .document || request.isSaved else { return .crossSite }
        return .crossSiteNavigation(isSafe: [.get, .head, .options, .trace].contains(request.head.method))
    }

    /// Schemeful: a page of http is another site than one of https (RFC 6265bis, section 5.2).
    private func isSameSite(_ url: CookieURL, _ other: String) -> Bool {
        guard let other = CookieURL(other) ?? CookieURL(other + "/"), url.scheme == other.scheme else { return false }
        guard url.host != other.host else { return true }
        guard let site = suffixes.registrableDomain(of: url.host) else { return false }
        return site == suffixes.registrableDomain(of: other.host)
    }
}
