// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

extension CookieStore {
    /// All cookies, in the order in which they were first stored.
    public var cookies: [Cookie] {
        snapshot.cookies
    }

    /// The cookie of an identity.
    public func cookie(_ identity: Cookie.Identity) -> Cookie? {
        perform { store, _ in store[identity] }
    }

    /// Stores a cookie as the app says, or another store that it speaks for: it takes the place of any other, a secure one
    /// or one that scripts do not see included, and ends when it says. Of two dates of creation the earlier one stays. One
    /// that has ended removes what it would take the place of. The same cookie once more is no change.
    /// - Throws: ``CookieRefusal`` for what no server could have set; whose it is, is not asked.
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

    /// Removes all cookies of a registrable domain and of all hosts below it.
    /// - Returns: how many they were.
    @discardableResult
    public func removeCookies(ofSite domain: String) -> Int {
        guard let domain = CookieHost.canonical(domain) else { return 0 }
        return remove { CookieHost.matches($0.identity.domain, domain: domain) }
    }

    /// Removes all cookies whose domain is this host, and not those of domains above and below.
    /// - Returns: how many they were.
    @discardableResult
    public func removeCookies(ofHost host: String) -> Int {
        guard let host = CookieHost.canonical(host) else { return 0 }
        return remove { $0.identity.domain == host }
    }

    /// Removes all.
    /// - Returns: how many they were.
    @discardableResult
    public func removeAll() -> Int {
        remove { _ in true }
    }

    /// Removes the cookies that say nothing of their end: the session is over (RFC 6265bis, section 5.7).
    /// - Returns: how many they were.
    @discardableResult
    public func endSession() -> Int {
        remove { $0.expires == nil }
    }

    /// Removes cookies as a response asks for by `Clear-Site-Data`: those of the whole site (W3C Clear Site Data, "clear
    /// cookies for origin"). An address or a host without a site loses its own.
    /// - Returns: how many they were; none, whatever it asks for, where the response did not come over a secure way.
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
