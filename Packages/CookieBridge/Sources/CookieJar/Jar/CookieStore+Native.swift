// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

extension CookieStore {
    /// All cookies, in the order in which they were first stored.
    public var cookies: [Cookie] {
        snapshot.cookies
    }

    /// Returns the cookie of an identity; `nil` if the jar does not have it.
    public func cookie(_ identity: Cookie.Identity) -> Cookie? {
        perform { store, _ in store[identity] }
    }

    /// Stores a cookie of the app, or of another store that the app synchronizes.
    ///
    /// The cookie replaces any cookie of its identity, including a Secure or HttpOnly cookie, and has no limit of its
    /// lifetime. The earlier of the two creation times remains. An expired cookie removes the cookie that it would
    /// replace. Inserting an equal cookie is no change.
    /// - Throws: ``CookieRefusal`` for a cookie that no server could have set. The owner of the domain is not checked.
    public func insert(_ cookie: Cookie) throws(CookieRefusal) {
        try cookie.check()
        perform { store, now in store.put(cookie, .native, now: now) }
    }

    /// Removes a cookie.
    /// - Returns: the cookie, if there was one.
    @discardableResult
    public func remove(_ identity: Cookie.Identity) -> Cookie? {
        perform { store, _ in store.remove(identity, .native) }
    }

    /// Removes all cookies of a registrable domain and of its subdomains.
    /// - Returns: the number of removed cookies.
    @discardableResult
    public func removeCookies(ofSite domain: String) -> Int {
        guard let domain = CookieHost.canonical(domain) else { return 0 }
        return remove { CookieHost.matches($0.identity.domain, domain: domain) }
    }

    /// Removes all cookies.
    /// - Returns: the number of removed cookies.
    @discardableResult
    public func removeAll() -> Int {
        remove { _ in true }
    }

    /// Removes the cookies of a whole site because of a `Clear-Site-Data` field (W3C Clear Site Data, "clear cookies
    /// for origin"). For an address or a host without a site, it removes the cookies of that host.
    /// - Returns: the number of removed cookies; 0 if the response did not come over a secure connection.
    @discardableResult
    public func clear(_ data: ClearSiteData, from url: CookieURL) -> Int {
        guard data.contains(.cookies), url.isSecure else { return 0 }
        let site = suffixes.registrableDomain(of: url.host)
        let source = CookieChange.Source.http
        return perform { store, _ in
            store.remove(.removed, source) { cookie in
                site.map { CookieHost.matches(cookie.identity.domain, domain: $0) }
                    ?? (cookie.identity.domain == url.host)
            }
        }
    }

    private func remove(where isGone: (Cookie) -> Bool) -> Int {
        perform { store, _ in store.remove(.removed, .native, where: isGone) }
    }
}
