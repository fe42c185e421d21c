// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// What a jar holds, as a value: each step is whole before the next begins.
struct CookieStoreState: Sendable {
    private(set) var version: UInt64 = 0
    /// By domain; never empty.
    private var domains: [String: [StoredCookie]] = [:]
    private var count = 0
    private var serial: UInt64 = 0
    /// No cookie ends before it; it may be too early.
    private var nextEnd = Date.distantFuture
    private var changes: [CookieChange] = []
    private let limits: CookieStore.Limits

    init(limits: CookieStore.Limits) {
        self.limits = limits
    }

    var isEmpty: Bool { count == 0 }

    /// All cookies, in the order in which they came.
    var cookies: [Cookie] {
        domains.values.joined().sorted { $0.serial < $1.serial }.map(\.cookie)
    }

    /// What has changed since this was last asked.
    mutating func drainChanges() -> [CookieChange] {
        defer { changes = [] }
        return changes
    }

    /// Takes out what has ended. Costs nothing where nothing has.
    mutating func sweep(now: Date) {
        guard nextEnd <= now else { return }
        remove(.expired, nil) { $0.isExpired(at: now) }
        nextEnd = domains.values.joined().compactMap(\.cookie.expires).min() ?? .distantFuture
    }

    // MARK: - Putting

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

    /// Stores a cookie whatever there is already, or takes the old one out where this one has ended.
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
        // The same once more is no news: stores that tell one another of changes come to rest.
        var known = old
        known.lastAccess = new.lastAccess
        if known != new || !known.value.utf8.elementsEqual(new.value.utf8) {
            record(identity, new, old, .overwritten, source)
        }
    }

    subscript(identity: Cookie.Identity) -> Cookie? {
        place(of: identity).flatMap { domains[identity.domain]?[$0].cookie }
    }

    // MARK: - Removing

    /// Takes out all for which the condition holds.
    /// - Returns: how many they were.
    @discardableResult
    mutating func remove(
        _ cause: CookieChange.Cause, _ source: CookieChange.Source?, where isGone: (Cookie) -> Bool
    ) -> Int {
        let gone = domains.values.joined().filter { isGone($0.cookie) }.sorted { $0.serial < $1.serial }
        for stored in gone { remove(stored, cause, source) }
        return gone.count
    }

    /// Takes out one.
    /// - Returns: the cookie, if there was one.
    mutating func remove(_ identity: Cookie.Identity, _ source: CookieChange.Source) -> Cookie? {
        guard let place = place(of: identity) else { return nil }
        return removeCookie(at: place, in: identity.domain, .removed, source)
    }

    // MARK: - Finding

    /// The cookies for a URL, in the order in which they are sent (section 5.8.3).
    /// - Parameter site: the registrable domain of the host; cookies of domains above it are not sent.
    /// - Parameter touch: when they are used; `nil` to leave them alone.
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

    // MARK: - Inside

    private func place(of identity: Cookie.Identity) -> Int? {
        domains[identity.domain]?.firstIndex { $0.has(identity) }
    }

    /// Whether a cookie that is not secure would take the place of a secure one, or stand before it (step 16). Only
    /// domains above and below can be in its way.
    private func hidesSecure(_ identity: Cookie.Identity) -> Bool {
        domains.contains { domain, stored in
            (CookieHost.matches(domain, domain: identity.domain) || CookieHost.matches(identity.domain, domain: domain))
                && stored.contains {
                    $0.cookie.isSecure && $0.cookie.identity.name.utf8.elementsEqual(identity.name.utf8)
                        && CookiePath.matches(identity.path, $0.cookie.identity.path)
                }
        }
    }

    /// Makes room: what has ended; then, of a domain with too many, those first that are not secure; then of all. The
    /// one that was not used for longest goes first, which may be the new one.
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

/// A cookie in its place in the jar.
struct StoredCookie: Sendable {
    var cookie: Cookie
    /// When it came, counted: tells those apart that came at the same time.
    let serial: UInt64

    /// Whether it is the one of this identity, byte by byte: Swift takes other spellings of the same letters for equal.
    func has(_ identity: Cookie.Identity) -> Bool {
        cookie.identity.isHostOnly == identity.isHostOnly
            && cookie.identity.name.utf8.elementsEqual(identity.name.utf8)
            && cookie.identity.path.utf8.elementsEqual(identity.path.utf8)
    }

    /// Whether it goes before another one that has to go, too (RFC 6265bis, section 5.7).
    func isOlder(than other: StoredCookie) -> Bool {
        cookie.lastAccess == other.cookie.lastAccess
            ? serial < other.serial : cookie.lastAccess < other.cookie.lastAccess
    }

    /// Whether it is sent before another one (section 5.8.3, step 4).
    func precedes(_ other: StoredCookie) -> Bool {
        let (path, otherPath) = (cookie.identity.path.utf8.count, other.cookie.identity.path.utf8.count)
        if path != otherPath { return path > otherPath }
        if cookie.created != other.cookie.created { return cookie.created < other.cookie.created }
        return serial < other.serial
    }
}
