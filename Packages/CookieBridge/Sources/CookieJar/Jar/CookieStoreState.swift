// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The state of a jar, as a value.
struct CookieStoreState: Sendable {
    private(set) var version: UInt64 = 0
    /// The cookies by domain. An array is never empty.
    private var domains: [String: [StoredCookie]] = [:]
    private var count = 0
    private var serial: UInt64 = 0
    /// A lower bound of all expiry times.
    private var nextEnd = Date.distantFuture
    private var changes: [CookieChange] = []
    private let limits: CookieStore.Limits

    init(limits: CookieStore.Limits) {
        self.limits = limits
    }

    /// All cookies, in the order in which they were stored.
    var cookies: [Cookie] {
        domains.values.joined().sorted { $0.serial < $1.serial }.map(\.cookie)
    }

    /// Returns and removes the changes since the last call.
    mutating func drainChanges() -> [CookieChange] {
        defer { changes = [] }
        return changes
    }

    /// Removes the expired cookies. It does no work if none has expired.
    mutating func sweep(now: Date) {
        guard nextEnd <= now else { return }
        remove(.expired, nil) { $0.isExpired(at: now) }
        nextEnd = domains.values.joined().compactMap(\.cookie.expires).min() ?? .distantFuture
    }

    // MARK: - Storing

    /// Stores a cookie of a response or a script (RFC 6265bis, section 5.7, steps 16, 23 and 24).
    mutating func receive(
        _ cookie: Cookie, fromSecure isSecure: Bool, _ source: CookieChange.Source, now: Date
    ) throws(CookieRefusal) {
        let identity = cookie.identity
        if !cookie.isSecure && !isSecure && hidesSecure(identity) {
            throw CookieRefusal(.hidesSecure, identity.name)
        }
        if source == .script, self[identity]?.isHTTPOnly == true { throw CookieRefusal(.httpOnly, identity.name) }
        put(cookie, source, now: now)
    }

    /// Stores a cookie and replaces any existing cookie of its identity. An expired cookie removes the existing cookie.
    mutating func put(_ cookie: Cookie, _ source: CookieChange.Source, now: Date) {
        let identity = cookie.identity
        let place = place(of: identity)
        guard !cookie.isExpired(at: now) else {
            if let place { removeCookie(at: place, in: identity.domain, .expired, source) }
            return
        }
        if let end = cookie.expires { nextEnd = min(nextEnd, end) }
        guard let place else {
            serial += 1
            count += 1
            domains[identity.domain, default: []].append(StoredCookie(cookie: cookie, serial: serial))
            record(identity, cookie, nil, .set, source)
            removeExcess(in: identity.domain, now: now)
            return
        }
        guard let old = domains[identity.domain]?[place].cookie else { return }
        var new = cookie
        new.created = min(old.created, cookie.created)
        new.lastAccess = max(old.lastAccess, cookie.lastAccess)
        domains[identity.domain]?[place].cookie = new
        // An equal cookie is no change. Otherwise two synchronized stores would update each other forever.
        var known = old
        known.lastAccess = new.lastAccess
        if known != new { record(identity, new, old, .overwritten, source) }
    }

    subscript(identity: Cookie.Identity) -> Cookie? {
        place(of: identity).flatMap { domains[identity.domain]?[$0].cookie }
    }

    // MARK: - Removing

    /// Removes all cookies that match the condition.
    /// - Returns: the number of removed cookies.
    @discardableResult
    mutating func remove(
        _ cause: CookieChange.Cause, _ source: CookieChange.Source?, where isGone: (Cookie) -> Bool
    ) -> Int {
        let removedCookies = domains.values.joined().filter { isGone($0.cookie) }.sorted { $0.serial < $1.serial }
        for stored in removedCookies { remove(stored, cause, source) }
        return removedCookies.count
    }

    /// Removes one cookie.
    /// - Returns: the cookie, if there was one.
    mutating func remove(_ identity: Cookie.Identity, _ source: CookieChange.Source) -> Cookie? {
        guard let place = place(of: identity) else { return nil }
        return removeCookie(at: place, in: identity.domain, .removed, source)
    }

    // MARK: - Lookup

    /// Returns the cookies for a URL in the order in which they are sent (RFC 6265bis, section 5.8.3).
    /// - Parameters:
    ///   - site: the registrable domain of the host, or `nil` for none. Cookies of domains above it are not sent.
    ///   - touch: the new last access time; `nil` to keep the old one.
    mutating func cookies(
        for url: CookieURL, site: String?, _ context: CookieContext, isScript: Bool, touch: Date?
    ) -> [Cookie] {
        let siteBytes = site?.utf8.count ?? .max
        var found: [StoredCookie] = []
        for domain in CookieHost.chain(url.host) {
            let isHost = domain.utf8.count == url.host.utf8.count
            guard isHost || domain.utf8.count >= siteBytes else { break }
            let key = String(domain)
            guard let stored = domains[key] else { continue }
            for place in stored.indices {
                let cookie = stored[place].cookie
                let matches = cookie.identity.isHostOnly ? isHost : domain.utf8.count >= siteBytes
                guard matches, url.matches(path: cookie.identity.path), !cookie.isSecure || url.isSecure,
                    !cookie.isHTTPOnly || !isScript, context.sends(cookie.sameSite, toScript: isScript)
                else { continue }
                found.append(stored[place])
                if let touch, touch > cookie.lastAccess { domains[key]?[place].cookie.lastAccess = touch }
            }
        }
        return found.sorted { $0.precedes($1) }.map(\.cookie)
    }

    // MARK: - Private

    private func place(of identity: Cookie.Identity) -> Int? {
        domains[identity.domain]?.firstIndex { $0.cookie.identity == identity }
    }

    /// Returns a Boolean value that indicates whether a cookie without `Secure` would replace a Secure cookie, or be
    /// sent before it (RFC 6265bis, section 5.7, step 16).
    private func hidesSecure(_ identity: Cookie.Identity) -> Bool {
        domains.contains { domain, stored in
            (CookieHost.matches(domain, domain: identity.domain) || CookieHost.matches(identity.domain, domain: domain))
                && stored.contains {
                    $0.cookie.isSecure && $0.cookie.identity.name.utf8.elementsEqual(identity.name.utf8)
                        && CookiePath.matches(identity.path, $0.cookie.identity.path)
                }
        }
    }

    /// Enforces the limits. It removes the expired cookies first, then cookies of the domain that exceeds its limit
    /// (cookies without `Secure` first), then cookies of all domains. The least recently used cookie, possibly the new
    /// cookie, is removed first.
    private mutating func removeExcess(in domain: String, now: Date) {
        if (domains[domain]?.count ?? 0) > limits.perDomain || count > limits.total { sweep(now: now) }
        while let stored = domains[domain], stored.count > limits.perDomain,
            let oldest = stored.filter({ !$0.cookie.isSecure }).min(by: { $0.isOlder(than: $1) })
                ?? stored.min(by: { $0.isOlder(than: $1) })
        {
            remove(oldest, .evicted, nil)
        }
        while count > limits.total, let oldest = domains.values.joined().min(by: { $0.isOlder(than: $1) }) {
            remove(oldest, .evicted, nil)
        }
    }

    private mutating func remove(_ stored: StoredCookie, _ cause: CookieChange.Cause, _ source: CookieChange.Source?) {
        let domain = stored.cookie.identity.domain
        guard let place = domains[domain]?.firstIndex(where: { $0.serial == stored.serial }) else { return }
        removeCookie(at: place, in: domain, cause, source)
    }

    @discardableResult
    private mutating func removeCookie(
        at place: Int, in domain: String, _ cause: CookieChange.Cause, _ source: CookieChange.Source?
    ) -> Cookie? {
        guard let cookie = domains[domain]?.remove(at: place).cookie else { return nil }
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
        count -= 1
        record(cookie.identity, nil, cookie, cause, source)
        return cookie
    }

    private mutating func record(
        _ identity: Cookie.Identity, _ cookie: Cookie?, _ previous: Cookie?, _ cause: CookieChange.Cause,
        _ source: CookieChange.Source?
    ) {
        version += 1
        changes.append(
            CookieChange(
                version: version, identity: identity, cookie: cookie, previous: previous, cause: cause, source: source))
    }
}

/// A cookie with its position in the order of the jar.
struct StoredCookie: Sendable {
    var cookie: Cookie
    /// A serial number, which orders cookies that were stored at the same time.
    let serial: UInt64

    /// Returns a Boolean value that indicates whether the cookie is removed before another cookie (RFC 6265bis, section
    /// 5.7).
    func isOlder(than other: StoredCookie) -> Bool {
        cookie.lastAccess == other.cookie.lastAccess
            ? serial < other.serial : cookie.lastAccess < other.cookie.lastAccess
    }

    /// Returns a Boolean value that indicates whether the cookie is sent before another cookie (section 5.8.3, step 4).
    func precedes(_ other: StoredCookie) -> Bool {
        let (path, otherPath) = (cookie.identity.path.utf8.count, other.cookie.identity.path.utf8.count)
        if path != otherPath { return path > otherPath }
        if cookie.created != other.cookie.created { return cookie.created < other.cookie.created }
        return serial < other.serial
    }
}
