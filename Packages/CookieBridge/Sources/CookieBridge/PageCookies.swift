// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar
internal import Foundation
internal import HTTPTypes
internal import PublicSuffixList
public import ResourceLoading
public import WebEngine

/// The cookies that page requests send and that their responses set, by the rules of an engine with its own cookies.
@_spi(Facade) public struct PageCookies: Sendable {
    /// The URL of the cookies, and the relation of the request or the script to the page.
    public typealias Target = (url: CookieURL, context: CookieContext)

    /// The jar that holds the cookies.
    public let jar: CookieStore
    let processor: SetCookieProcessor
    private let acceptsThirdParties: Bool
    private let suffixes = SuffixList()
    /// The transfer of changes in the app's storage before a request; `nil` for none.
    var refresh: NativeRefresh?

    /// Creates the cookies of pages from a jar.
    /// - Parameters:
    ///   - jar: the jar that holds the cookies.
    ///   - acceptsThirdParties: a Boolean value that indicates whether third-party resources of a page may set cookies.
    public init(jar: CookieStore, acceptsThirdParties: Bool) {
        self.jar = jar
        self.acceptsThirdParties = acceptsThirdParties
        processor = SetCookieProcessor(jar)
    }

    /// Creates a copy of the current cookies of an engine that stores cookies itself.
    /// - Parameters:
    ///   - store: the store of the engine.
    ///   - change: a closure that returns a cookie as the pages have it; `nil` for a cookie that pages do not have.
    /// - Throws: `EngineError`.
    @MainActor
    public init(of store: any EngineCookieStore, changing change: (EngineCookie) -> EngineCookie?) async throws {
        let now = Date()
        let cookies = try await EngineCookies.all(of: store).compactMap(change).map { Cookie($0, created: now) }
        self.init(jar: CookieStore(publicSuffixes: SuffixList(), cookies: cookies), acceptsThirdParties: false)
    }

    /// Returns the `Cookie` field value of a page's request, or `nil` if there are no cookies to send. It updates the
    /// last access time of the cookies.
    public func header(for request: ResourceRequest) -> String? {
        cookieTarget(of: request).flatMap { jar.cookieHeader(for: $0.url, context: $0.context) }
    }

    /// Returns the target of a request, or `nil` if the request carries no cookies: a request of no page, a CORS
    /// preflight request, or a request whose credentials mode excludes them.
    func cookieTarget(of request: ResourceRequest) -> Target? {
        guard let page = request.page?.page.documentURL, request.head.method != .options,
            mayCarry(request, of: page), let url = CookieURL(request.head.urlText)
        else { return nil }
        return (url, context(of: request, to: url, in: page))
    }

    /// Returns the target of a script, which has the cookies of the document in which it runs.
    /// - Parameters:
    ///   - url: the real URL of the document.
    ///   - top: the real URL of the page that contains the document.
    public func cookieTarget(ofScriptAt url: String, in top: String) -> Target? {
        guard let url = CookieURL(url) else { return nil }
        return (url, isSameSite(url, top) ? .sameSite : .crossSite)
    }

    /// Returns a Boolean value that indicates whether a script or a response of this target may set cookies. As in
    /// Safari and WebKitGTK, third parties may not, unless the app allows it.
    public func accepts(from target: Target) -> Bool {
        acceptsThirdParties || target.context != .crossSite
    }

    /// Returns a Boolean value that indicates whether the response to a request may set cookies. A request to the
    /// page's own site is never third-party.
    func accepts(from target: Target, for request: ResourceRequest) -> Bool {
        accepts(from: target)
            || (request.page.map { isOfPagesSite(request, to: target.url, in: $0.page.documentURL) } ?? false)
    }

    /// Returns a Boolean value that indicates whether a request goes to the page's site, and has no `Origin` or
    /// `Referer` of another site.
    private func isOfPagesSite(_ request: ResourceRequest, to url: CookieURL, in page: String) -> Bool {
        let requester = request.head.headerFields[.origin] ?? request.head.headerFields[.referer] ?? page
        return isSameSite(url, page) && isSameSite(url, requester)
    }

    /// Returns a Boolean value that indicates whether a request includes credentials (Fetch, section 4.6).
    private func mayCarry(_ request: ResourceRequest, of page: String) -> Bool {
        switch request.credentials {
        case .include: return true
        case .omit: return false
        // A request of an element without CORS includes credentials for every origin. A CORS request includes
        // credentials only for its own origin, unless its credentials mode specifies otherwise.
        case .unknown where request.mode != .cors: return true
        case .unknown, .sameOrigin:
            let fields = request.head.headerFields
            let requester = fields[.origin] ?? fields[.referer] ?? page
            return WebOrigin(url: requester) == request.head.webOrigin
        }
    }

    private func context(of request: ResourceRequest, to url: CookieURL, in page: String) -> CookieContext {
        if isOfPagesSite(request, to: url, in: page), !request.mayComeFromOtherSite { return .sameSite }
        guard request.destination == .document || request.isSaved else { return .crossSite }
        return .crossSiteNavigation(isSafe: [.get, .head, .options, .trace].contains(request.head.method))
    }

    /// Returns a Boolean value that indicates whether two URLs are schemefully same-site: `http` and `https` pages of
    /// one host are of different sites (RFC 6265bis, section 5.2).
    private func isSameSite(_ url: CookieURL, _ other: String) -> Bool {
        guard let other = CookieURL(other) ?? CookieURL(other + "/"), url.scheme == other.scheme else { return false }
        guard url.host != other.host else { return true }
        guard let site = suffixes.registrableDomain(of: url.host) else { return false }
        return site == suffixes.registrableDomain(of: other.host)
    }
}
