// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The cookies of a request and its redirects.
///
/// The cookies come from the storage of the session and are computed for each hop, unless the app has set the `Cookie`
/// field.
struct SessionCookies {
    private let storage: HTTPCookieStorage?
    private let settings: SessionSettings
    private let request: URLRequest
    /// A Boolean value that indicates whether the session, and not the app, sets the `Cookie` field.
    private let areTheSessions: Bool

    init(_ settings: SessionSettings, _ request: URLRequest) {
        self.settings = settings
        self.request = request
        storage = request.httpShouldHandleCookies ? settings.cookies : nil
        let field = request.value(forHTTPHeaderField: "Cookie")
        // On Linux, the session has already added cookies, selected by host only.
        let added = request.url.flatMap { settings.cookies?.cookies(for: $0) }
            .flatMap { HTTPCookie.requestHeaderFields(with: $0)["Cookie"] }
        areTheSessions = field == nil || settings.sendsCookies && field == added
    }

    /// Sets the cookies for the URL of the request.
    func addCookies(to head: inout HTTPRequest) {
        guard areTheSessions else { return }
        head.headerFields[.cookie] = nil
        guard let storage, settings.sendsCookies, let url = URL(string: head.urlText) else { return }
        let path = head.path?.prefix { $0 != "?" } ?? "/"
        let sent = (storage.cookies(for: url) ?? []).filter { cookie in
            (!cookie.isSecure || head.scheme == "https") && Self.matches(path, cookie.path)
        }
        if !sent.isEmpty { head.headerFields[.cookie] = HTTPCookie.requestHeaderFields(with: sent)["Cookie"] }
    }

    /// Stores the cookies of a response.
    func storeCookies(of fields: HTTPFields, from text: String) {
        guard let storage, settings.acceptPolicy != .never, let url = URL(string: text), isAccepted(url) else { return }
        // Each field is parsed separately, because the comma in a date would split a joined value.
        for value in fields[values: .setCookie] {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
        }
    }

    /// Returns a Boolean value that indicates whether a path matches the path of a cookie (RFC 6265, section 5.1.4).
    static func matches(_ path: Substring, _ cookie: String) -> Bool {
        let (path, cookie) = (path.utf8, cookie.utf8)
        guard path.starts(with: cookie) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == cookie.count || cookie.last == slash || path.dropFirst(cookie.count).first == slash
    }

    /// Returns a Boolean value that indicates whether cookies of a URL are accepted. The policy may accept only
    /// cookies of the main document's domain.
    private func isAccepted(_ url: URL) -> Bool {
        guard settings.acceptPolicy == .onlyFromMainDocumentDomain, let main = request.mainDocumentURL?.host() else {
            return true
        }
        guard let host = url.host()?.asciiLowercased, case let main = main.asciiLowercased else { return false }
        return host == main || host.hasSuffix("." + main) || main.hasSuffix("." + host)
    }
}
