// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import PublicSuffixList

/// The cookies of the real hosts, and their copies under the local names of the sites of the local server.
///
/// A cookie has a copy at each served site whose host it reaches. A copy without a domain belongs to a cookie of the
/// host alone, and a copy with a domain to a cookie with the attribute `Domain`. If two cookies with a domain would
/// have the same copy, the one with the longer domain has it. `Secure` cookies have no copies at sites of http origins,
/// which the local server also serves over TLS.
struct ServerCookieCopies {
    /// A served site.
    struct Site {
        /// The canonical real host.
        let host: String
        /// A Boolean value that indicates whether the real origin is https.
        let isSecure: Bool
    }

    /// A copy that the engine has.
    private struct Copy {
        /// The cookie, as the last read has shown or a write has stored it.
        var cookie: Cookie
        /// The cookie of the real host to which the copy belongs.
        var owner: Cookie.Identity
    }

    /// The name and the path of a cookie. Only cookies with the same key can have the same copy.
    private struct Key: Hashable {
        let name: [UInt8]
        let path: [UInt8]

        init(_ identity: Cookie.Identity) {
            name = Array(identity.name.utf8)
            path = Array(identity.path.utf8)
        }
    }

    /// The largest number of served sites. Cookies have no copies at further sites.
    private static let maxSites = 1_000

    /// The cookies with their real domains.
    private(set) var cookies: [Cookie.Identity: Cookie] = [:]
    /// The copies that the engine has, by their identities under the local names.
    private var copies: [Cookie.Identity: Copy] = [:]
    private var sites: [String: Site] = [:]
    /// The cookies whose copies may differ from them.
    private var pending: Set<Key> = []
    /// The copies that these cookies should have.
    private var wanted: [Cookie.Identity: Copy] = [:]
    private let record: ServerCookieRecord
    private let representation = CookieRepresentation.engine
    private let suffixes = SuffixList()

    init(_ record: ServerCookieRecord) {
        self.record = record
    }

    // MARK: Changes

    /// Adds a served site.
    /// - Returns: `false` if the site was served before.
    mutating func serve(_ site: Site, named name: String) -> Bool {
        guard sites[name] == nil, sites.count < Self.maxSites else { return false }
        sites[name] = site
        for identity in cookies.keys where reaches(identity, site) { pending.insert(Key(identity)) }
        return true
    }

    /// Sets a cookie of a real host.
    mutating func set(_ cookie: Cookie) {
        cookies[cookie.identity] = cookie
        pending.insert(Key(cookie.identity))
    }

    /// Removes a cookie of a real host.
    mutating func remove(_ identity: Cookie.Identity) {
        cookies[identity] = nil
        pending.insert(Key(identity))
    }

    /// Removes the cookies of a scope.
    mutating func clear(_ scope: CookieScope) {
        for identity in cookies.keys where scope.contains(identity) { remove(identity) }
    }

    /// Forgets the copies, because the engine has lost its cookies. Copies that a read does not show are written again.
    mutating func forgetCopies() {
        copies = [:]
        for identity in cookies.keys { pending.insert(Key(identity)) }
    }

    /// Adopts the changes of pages. Copies at sites that are neither recorded nor served are ignored.
    /// - Parameters:
    ///   - shown: the engine's cookies of all sites of the local server.
    ///   - site: the local name of a site whose pages have not been open. Its unknown copies are older than the
    ///     cookies.
    ///   - now: the time against which cookies expire.
    /// - Returns: the copies that the engine must not have, because the real host could not set them.
    mutating func adopt(_ shown: [Cookie], ofNew site: String? = nil, now: Date) -> [Cookie.Identity] {
        var refused: [Cookie.Identity] = []
        var (there, changed) = (Set<Cookie.Identity>(), Set<Cookie.Identity>())
        for copy in shown {
            there.insert(copy.identity)
            let known = copies[copy.identity]?.cookie
            guard !representation.isSame(copy, known), let identity = real(copy.identity),
                identity.isHostOnly || suffixes.registrableDomain(of: identity.domain) != nil
            else { continue }
            // An http origin neither sets nor replaces Secure cookies (RFC 6265bis, section 5.7, steps 8 and 16).
            let isOfHTTP = sites[copy.identity.domain]?.isSecure == false
            if isOfHTTP, copy.isSecure || cookies[identity]?.isSecure == true {
                refused.append(copy.identity)
                continue
            }
            copies[copy.identity] = Copy(cookie: copy, owner: identity)
            record.record(copy, of: identity.domain)
            if known == nil, copy.identity.domain == site, cookies[identity] != nil {
                pending.insert(Key(identity))
                continue
            }
            var cookie = copy
            cookie.identity = identity
            set(representation.restored(cookie, over: cookies[identity]))
            changed.insert(identity)
        }
        for gone in copies.keys where !there.contains(gone) {
            let identity = real(gone)
            copies[gone] = nil
            record.remove(gone)
            // A page at another site may have set the cookie again.
            if let identity, !changed.contains(identity) { remove(identity) }
        }
        for (identity, cookie) in cookies where cookie.expires.map({ $0 <= now }) ?? false { remove(identity) }
        return refused
    }

    // MARK: Writes

    /// The writes that make the copies equal to the cookies. They are recorded first.
    mutating func updates() -> [CookieUpdate] {
        guard !pending.isEmpty else { return [] }
        wanted = [:]
        let unserved = Dictionary(grouping: copies.filter { sites[$0.key.domain] == nil }, by: \.value.owner)
        let changed = cookies.values.filter { pending.contains(Key($0.identity)) }
        for cookie in changed.sorted(by: { $0.identity.domain.utf8.count > $1.identity.domain.utf8.count }) {
            for place in places(of: cookie) + (unserved[cookie.identity] ?? []).map(\.key) where wanted[place] == nil {
                var copy = cookie
                copy.identity = place
                wanted[place] = Copy(cookie: copy, owner: cookie.identity)
                if !representation.isSame(copies[place]?.cookie, copy) {
                    record.record(copy, of: cookie.identity.domain)
                }
            }
        }
        let gone = copies.keys.filter { pending.contains(Key($0)) && wanted[$0] == nil }
        return gone.map { .remove($0) }
            + wanted.filter { !representation.isSame(copies[$0.key]?.cookie, $0.value.cookie) }
            .map { .set($0.value.cookie) }
    }

    /// Records that the engine has performed a write.
    mutating func performed(_ update: CookieUpdate) {
        switch update {
        case .set(let copy): copies[copy.identity] = wanted[copy.identity]
        case .remove(let copy):
            copies[copy] = nil
            record.remove(copy)
        }
    }

    /// Records that all writes were performed.
    mutating func finished() { (pending, wanted) = ([], [:]) }

    // MARK: Names

    /// The identities of the copies at served sites.
    private func places(of cookie: Cookie) -> [Cookie.Identity] {
        sites.compactMap { name, site in
            guard reaches(cookie.identity, site), !cookie.isSecure || site.isSecure else { return nil }
            var copy = cookie.identity
            copy.domain = name
            return copy
        }
    }

    private func reaches(_ identity: Cookie.Identity, _ site: Site) -> Bool {
        identity.isHostOnly
            ? identity.domain == site.host : CookieHost.matches(site.host, domain: identity.domain)
    }

    /// Returns the identity of the cookie to which a copy belongs, or `nil` if its site is not known.
    private func real(_ copy: Cookie.Identity) -> Cookie.Identity? {
        guard let domain = record.domain(of: copy) ?? copies[copy]?.owner.domain ?? sites[copy.domain]?.host
        else { return nil }
        var identity = copy
        identity.domain = domain
        return identity
    }
}
