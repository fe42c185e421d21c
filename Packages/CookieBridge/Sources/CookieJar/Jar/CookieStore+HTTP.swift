// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

extension CookieStore {
    /// Returns the `Cookie` field value for a request (RFC 6265bis, section 5.8), or `nil` if there is no cookie to
    /// send. It updates the last access time of the cookies.
    public func cookieHeader(for url: CookieURL, context: CookieContext = .sameSite) -> String? {
        let cookies = cookiesToSend(for: url, context, isScript: false)
        return cookies.isEmpty ? nil : cookies.fieldValue
    }

    /// Stores the cookie of one `Set-Cookie` field of a response (RFC 6265bis, section 5.7).
    /// - Parameters:
    ///   - setCookie: the value of the field. Several fields need several calls, because they cannot be joined.
    ///   - url: the URL of the request.
    ///   - context: the relation of the request to the page that made it; same-site by default.
    /// - Throws: ``CookieRefusal``; the jar is then unchanged.
    public func store(
        setCookie: String, from url: CookieURL, context: CookieContext = .sameSite
    ) throws(CookieRefusal) {
        try receive(setCookie, url, context, .http)
    }

    /// Stores the cookies of all `Set-Cookie` fields of a response, in their order.
    /// - Returns: the reasons for the refused cookies.
    @discardableResult
    public func store(
        setCookies: [String], from url: CookieURL, context: CookieContext = .sameSite
    ) -> [CookieRefusal] {
        var refusals: [CookieRefusal] = []
        for field in setCookies {
            do throws(CookieRefusal) {
                try store(setCookie: field, from: url, context: context)
            } catch {
                refusals.append(error)
            }
        }
        return refusals
    }

    /// Returns the identity of the cookie in a `Set-Cookie` field of a response, even if the jar would not store it.
    /// - Returns: `nil` for a field that no jar stores.
    public func identity(
        ofSetCookie field: String, from url: CookieURL, context: CookieContext = .sameSite
    ) -> Cookie.Identity? {
        try? read(field, url, context, isScript: false).identity
    }

    /// Returns the cookies that a request would carry, in their order, without updating their last access time.
    public func cookies(matching url: CookieURL, context: CookieContext = .sameSite) -> [Cookie] {
        let site = site(of: url)
        return perform { store, _ in store.cookies(for: url, site: site, context, isScript: false, touch: nil) }
    }

    /// Returns the cookies for a URL, and updates their last access time.
    func cookiesToSend(for url: CookieURL, _ context: CookieContext, isScript: Bool) -> [Cookie] {
        let site = site(of: url)
        return perform { store, now in store.cookies(for: url, site: site, context, isScript: isScript, touch: now) }
    }

    /// Parses a field, and stores the cookie.
    func receive(
        _ field: String, _ url: CookieURL, _ context: CookieContext, _ source: CookieChange.Source
    ) throws(CookieRefusal) {
        let cookie = try read(field, url, context, isScript: source == .script)
        try perform { (store, now) throws(CookieRefusal) in
            try store.receive(cookie, fromSecure: url.isSecure, source, now: now)
        }
    }

    private func read(
        _ field: String, _ url: CookieURL, _ context: CookieContext, isScript: Bool
    ) throws(CookieRefusal) -> Cookie {
        try SetCookie(parsing: field).cookie(
            from: url, context, isScript: isScript, suffixes: suffixes, lifetime: limits.lifetime, now: now())
    }

    private func site(of url: CookieURL) -> String? {
        suffixes.registrableDomain(of: url.host)
    }
}

extension CookieStore {
    /// Returns the value of `document.cookie`, which may be empty, and updates the last access time of the cookies (RFC
    /// 6265bis, section 5.8.2).
    /// - Parameters:
    ///   - url: the URL of the document.
    ///   - context: ``CookieContext/sameSite`` if the document and all its ancestors are same-site; any other context
    ///     counts as cross-site for scripts.
    public func scriptCookieString(for url: CookieURL, context: CookieContext = .sameSite) -> String {
        cookiesToSend(for: url, context, isScript: true).fieldValue
    }

    /// Performs an assignment to `document.cookie`. The rules are those for a response field, but no `HttpOnly` cookie
    /// is set, changed or removed.
    /// - Throws: ``CookieRefusal``, which scripts do not receive; the jar is then unchanged.
    public func setFromScript(
        _ text: String, at url: CookieURL, context: CookieContext = .sameSite
    ) throws(CookieRefusal) {
        try receive(text, url, context, .script)
    }
}
