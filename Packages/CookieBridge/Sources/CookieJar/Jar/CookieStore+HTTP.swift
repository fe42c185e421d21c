// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

extension CookieStore {
    /// The value of the field `Cookie` for a request (RFC 6265bis, section 5.8), and notes that the cookies were used.
    /// - Returns: `nil` where there is none to send.
    public func cookieHeader(for url: CookieURL, context: CookieContext = .sameSite) -> String? {
        let cookies = cookiesToSend(for: url, context, isScript: false)
        return cookies.isEmpty ? nil : cookies.fieldValue
    }

    /// Stores what one field `Set-Cookie` of a response says (section 5.7).
    /// - Parameters:
    ///   - setCookie: the field's value. Several fields are several calls: they cannot be joined.
    ///   - url: the URL of the request.
    ///   - context: the relation of the request to the page that made it; the site's own request by default.
    /// - Throws: ``CookieRefusal``; nothing has changed then.
    public func store(
        setCookie: String, from url: CookieURL, context: CookieContext = .sameSite
    ) throws(CookieRefusal) {
        try receive(setCookie, url, context, .http)
    }

    /// Stores what all fields `Set-Cookie` of a response say, in their order.
    /// - Returns: what was not taken, and why.
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

    /// Which cookie a field `Set-Cookie` of a response is about, whether or not it would be stored.
    /// - Returns: `nil` for a field that no jar stores.
    public func identity(
        ofSetCookie field: String, from url: CookieURL, context: CookieContext = .sameSite
    ) -> Cookie.Identity? {
        try? read(field, url, context, isScript: false).identity
    }

    /// The cookies that a request would carry, in their order; nothing is noted.
    public func cookies(matching url: CookieURL, context: CookieContext = .sameSite) -> [Cookie] {
        let site = site(of: url)
        return perform { store, _ in store.cookies(for: url, site: site, context, isScript: false, touch: nil) }
    }

    /// The cookies for a URL, which are used by this.
    func cookiesToSend(for url: CookieURL, _ context: CookieContext, isScript: Bool) -> [Cookie] {
        let site = site(of: url)
        return perform { store, now in store.cookies(for: url, site: site, context, isScript: isScript, touch: now) }
    }

    /// Reads a field, and stores the cookie.
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
    /// What `document.cookie` gives, perhaps nothing; notes that the cookies were used (RFC 6265bis, section 5.8.2).
    /// - Parameters:
    ///   - url: the document's.
    ///   - context: ``CookieContext/sameSite`` where the document and all those around it are of one site; all else is
    ///     another site's to scripts.
    public func scriptCookieString(for url: CookieURL, context: CookieContext = .sameSite) -> String {
        cookiesToSend(for: url, context, isScript: true).fieldValue
    }

    /// The cookies that a script sees, in their order; notes that they were used.
    public func scriptCookies(for url: CookieURL, context: CookieContext = .sameSite) -> [Cookie] {
        cookiesToSend(for: url, context, isScript: true)
    }

    /// Does what an assignment to `document.cookie` does: as a response's field, but nothing that is `HttpOnly` is set,
    /// changed or removed.
    /// - Throws: ``CookieRefusal``, of which scripts hear nothing; nothing has changed then.
    public func setFromScript(
        _ text: String, at url: CookieURL, context: CookieContext = .sameSite
    ) throws(CookieRefusal) {
        try receive(text, url, context, .script)
    }
}
