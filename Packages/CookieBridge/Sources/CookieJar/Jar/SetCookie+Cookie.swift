// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import WebSyntax

extension SetCookie {
    /// Returns the cookie that the field sets at a URL, without regard to the contents of the jar (RFC 6265bis, section
    /// 5.7, steps 2 to 22 without 16).
    package func cookie(
        from url: CookieURL, _ context: CookieContext, isScript: Bool, suffixes: any PublicSuffixing,
        lifetime: TimeInterval, now: Date
    ) throws(CookieRefusal) -> Cookie {
        if name.isEmpty && value.isEmpty { throw CookieRefusal(.empty, name) }
        let domain = try domain(for: url.host, suffixes)
        let path = self.path.flatMap { $0.isEmpty ? nil : $0 } ?? url.defaultPath
        guard path.utf8.count <= CookiePath.maxBytes else { throw CookieRefusal(.tooLong, name) }
        let cookie = Cookie(
            Cookie.Identity(name: name, domain: domain ?? url.host, isHostOnly: domain == nil, path: path),
            value: value,
            expires: end(now: now, lifetime: lifetime), created: now, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: sameSite)
        if isSecure && !url.isSecure { throw CookieRefusal(.insecureOrigin, name) }
        if isHTTPOnly && isScript { throw CookieRefusal(.httpOnly, name) }
        guard context.accepts(sameSite, fromScript: isScript) else { throw CookieRefusal(.crossSite, name) }
        if sameSite == .none && !isSecure { throw CookieRefusal(.crossSiteInsecure, name) }
        try cookie.checkPrefix(hasPath: self.path != nil)
        return cookie
    }

    /// Returns the domain of the cookie, which includes subdomains; `nil` for a host-only cookie (section 5.7, steps 7
    /// to 10).
    ///
    /// A domain above the host's site is refused even if it is not a public suffix, as in browsers. For example,
    /// `s3.amazonaws.com` is a public suffix and `amazonaws.com` is not, but no customer owns `amazonaws.com`.
    private func domain(for host: String, _ suffixes: any PublicSuffixing) throws(CookieRefusal) -> String? {
        guard let domain, !domain.isEmpty else { return nil }
        guard CookieHost.matches(host, domain: domain) else { throw CookieRefusal(.otherDomain, name) }
        guard let site = suffixes.registrableDomain(of: host) else {
            if domain.utf8.elementsEqual(host.utf8) { return nil }
            throw CookieRefusal(.publicSuffix, name)
        }
        guard domain.utf8.count >= site.utf8.count else { throw CookieRefusal(.publicSuffix, name) }
        return domain
    }

    /// Returns the expiry time (section 5.7, step 6, and sections 5.6.1 and 5.6.2); `nil` for a session cookie.
    private func end(now: Date, lifetime: TimeInterval) -> Date? {
        if let maxAge {
            return maxAge <= 0 ? .distantPast : now.addingTimeInterval(min(TimeInterval(maxAge), lifetime))
        }
        return expires.map { min($0, now.addingTimeInterval(lifetime)) }
    }
}
