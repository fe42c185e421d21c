// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import PublicSuffixList

/// The cookies of the real hosts, and their copies under the local names of the sites of the local server.
///
/// A cookie has a copy at each known site whose host it reaches. A copy without a domain belongs to a cookie of the
/// host alone, and a copy with a domain to a cookie with the attribute `Domain`. If two cookies with a domain would
/// have the same copy, the one with the longer domain has it. `Secure` cookies have no copies at sites of http origins,
/// which the local server also serves over TLS.
struct ServerCookieCopies {
    /// A site of the local server.
    struct Site: Hashable {
        /// The canonical real host.
        let host: String
        /// A Boolean value that indicates whether the real origin is https.
        let isSecure: Bool
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

    /// The cookies and the copies of one key.
    private struct Group {
        var cookies: [Cookie.Identity: Cookie] = [:]
        /// The copies that the engine has, as the last read has shown or a write has stored them.
        var copies: [Cookie.Identity: Cookie] = [:]
        /// The number of failed attempts to write the copies since the last change.
        var attempts = 0
    }

    /// The largest number of known sites. Above it, cookies have no copies at the site that was added first.
    static let maxSites = 512
    /// The largest number of copies. Cookies have no further copies above it.
    private static let maxCopies = 6_000
    /// The largest number of attempts to write the copies of a cookie. A change of the cookie starts them again.
    private static let maxAttempts = 4

    private var groups: [Key: Group] = [:]
    private var sites: [String: Site] = [:]
    /// The names of the sites in the order in which they were added.
    private var names: [String] = []
    /// The number of copies.
    private var count = 0
    /// The groups whose copies may differ from their cookies.
    private var pending: Set<Key> = []
    private var hasRead = false
    private let record: ServerCookieRecord
    private let representation = CookieRepresentation.engine
    private let suffixes = SuffixList()

    /// Creates the copies at the recorded sites, which the first read shows.
    init(_ record: ServerCookieRecord) {
        self.record = record
        for (name, site) in record.sites { add(site, named: name) }
    }

    /// The cookies with their real domains.
    var cookies: [Cookie] { groups.values.flatMap(\.cookies.values) }

    // MARK: Changes

    /// Returns a Boolean value that indicates whether a site is known.
    func knows(_ name: String) -> Bool { sites[name] != nil }

    /// Adds a site, and records it.
    mutating func serve(_ site: Site, named name: String) {
        record.record(site, named: name)
        add(site, named: name)
        for (key, group) in groups where group.cookies.keys.contains(where: { reaches($0, site) }) {
            pending.insert(key)
        }
    }

    private mutating func add(_ site: Site, named name: String) {
        sites[name] = site
        names.append(name)
        if names.count > Self.maxSites { sites[names.removeFirst()] = nil }
    }

    /// Sets a cookie of a real host.
    mutating func set(_ cookie: Cookie) {
        change(Key(cookie.identity)) { $0.cookies[cookie.identity] = cookie }
    }

    /// Removes a cookie of a real host.
    mutating func remove(_ identity: Cookie.Identity) {
        change(Key(identity)) { $0.cookies[identity] = nil }
    }

    /// Removes the cookies of a scope. Their copies are removed even if earlier attempts have failed.
    mutating func clear(_ scope: CookieScope) {
        for (key, group) in groups {
            let owners = Set(group.cookies.keys).union(group.copies.keys.compactMap(owner))
            for owner in owners where scope.contains(owner) { change(key) { $0.cookies[owner] = nil } }
        }
    }

    /// Forgets the copies, because the engine has lost its cookies. Copies that a read does not show are written again.
    mutating func forgetCopies() {
        for key in groups.keys { change(key) { $0.copies = [:] } }
        count = 0
    }

    private mutating func change(_ key: Key, _ body: (inout Group) -> Void) {
        pending.insert(key)
        var group = groups[key] ?? Group()
        group.attempts = 0
        body(&group)
        groups[key] = group
    }

    // MARK: Reads

    /// Adopts the changes of pages. Copies at sites that are not known are ignored.
    /// - Parameters:
    ///   - shown: the engine's cookies of all sites of the local server.
    ///   - site: the local name of a site that was added after the last read. Its copies are older than the cookies.
    ///   - now: the time against which cookies expire.
    mutating func adopt(_ shown: [Cookie], ofNew site: String? = nil, now: Date) {
        var (there, changed) = (Set<Cookie.Identity>(), Set<Cookie.Identity>())
        for copy in shown {
            there.insert(copy.identity)
            guard let owner = owner(of: copy.identity) else { continue }
            let key = Key(owner)
            let known = groups[key]?.copies[copy.identity]
            if let known, representation.isSame(copy, known) { continue }
            let previous = groups[key]?.cookies[owner]
            if known == nil { count += 1 }
            change(key) { $0.copies[copy.identity] = copy }
            // A refused or an older copy is replaced by the next write.
            guard isPermitted(copy, of: owner), copy.identity.domain != site || previous == nil else { continue }
            var cookie = copy
            cookie.identity = owner
            set(representation.restored(cookie, over: previous))
            if !copy.identity.isHostOnly, !owner.isHostOnly { record.record(copy.identity, of: owner.domain) }
            changed.insert(owner)
        }
        for (key, group) in groups {
            for gone in group.copies.keys where !there.contains(gone) {
                let owner = owner(of: gone)
                count -= 1
                change(key) { group in
                    group.copies[gone] = nil
                    // A page at another site may have set the cookie again.
                    if let owner, !changed.contains(owner) { group.cookies[owner] = nil }
                }
            }
            for (identity, cookie) in group.cookies where cookie.expires.map({ $0 <= now }) ?? false {
                remove(identity)
            }
        }
        if !hasRead { record.removeEntries(except: there) }
        hasRead = true
    }

    /// Returns a Boolean value that indicates whether the real host may set a cookie. An http origin neither sets nor
    /// hides `Secure` cookies (RFC 6265bis, section 5.7, steps 8 and 16).
    private func isPermitted(_ copy: Cookie, of owner: Cookie.Identity) -> Bool {
        guard sites[copy.identity.domain]?.isSecure == false else { return true }
        let secure = groups.values.lazy.flatMap(\.cookies.values).filter { cookie in
            cookie.isSecure && cookie.identity.name.utf8.elementsEqual(owner.name.utf8)
                && (CookieHost.matches(cookie.identity.domain, domain: owner.domain)
                    || CookieHost.matches(owner.domain, domain: cookie.identity.domain))
        }
        return !copy.isSecure && secure.first == nil
    }

    // MARK: Writes

    /// The writes that make the copies equal to the cookies. They are recorded first.
    func updates() -> [CookieUpdate] { pending.flatMap { updates(of: groups[$0] ?? Group()) } }

    private func updates(of group: Group) -> [CookieUpdate] {
        let wanted = wanted(by: group)
        var updates = group.copies.keys.filter { wanted[$0] == nil }.map { CookieUpdate.remove($0) }
        var room = Self.maxCopies - count
        for (place, cookie) in wanted {
            var copy = cookie
            copy.identity = place
            guard !representation.isSame(group.copies[place], copy) else { continue }
            if group.copies[place] == nil {
                guard room > 0 else { continue }
                room -= 1
            }
            if !place.isHostOnly { record.record(place, of: cookie.identity.domain) }
            updates.append(.set(copy))
        }
        return updates
    }

    /// The cookies of a group, by the identities of the copies that they should have.
    private func wanted(by group: Group) -> [Cookie.Identity: Cookie] {
        var wanted: [Cookie.Identity: Cookie] = [:]
        for cookie in group.cookies.values.sorted(by: { $0.identity.domain.utf8.count > $1.identity.domain.utf8.count })
        {
            for (name, site) in sites
            where reaches(cookie.identity, site) && (!cookie.isSecure || site.isSecure) {
                var place = cookie.identity
                place.domain = name
                if wanted[place] == nil { wanted[place] = cookie }
            }
        }
        return wanted
    }

    /// Records that the engine has performed a write.
    mutating func performed(_ update: CookieUpdate) {
        let key = Key(update.identity)
        guard var group = groups[key] else { return }
        switch update {
        case .set(let cookie):
            if group.copies[cookie.identity] == nil { count += 1 }
            group.copies[cookie.identity] = cookie
        case .remove(let copy):
            if group.copies.removeValue(forKey: copy) != nil { count -= 1 }
        }
        groups[key] = group
    }

    /// Records the end of the writes of ``updates()``.
    /// - Parameter failed: the writes that the engine has not performed. They are tried again with the next ones.
    mutating func finished(without failed: [CookieUpdate]) {
        let failed = Set(failed.map { Key($0.identity) })
        for key in pending {
            if failed.contains(key) {
                groups[key]?.attempts += 1
                if groups[key]?.attempts ?? 0 < Self.maxAttempts { continue }
            } else if groups[key]?.cookies.isEmpty == true, groups[key]?.copies.isEmpty == true {
                groups[key] = nil
            }
            pending.remove(key)
        }
    }

    // MARK: Names

    private func reaches(_ identity: Cookie.Identity, _ site: Site) -> Bool {
        identity.isHostOnly
            ? identity.domain == site.host : CookieHost.matches(site.host, domain: identity.domain)
    }

    /// Returns the identity of the cookie to which a copy belongs, or `nil` if its site is not known.
    private func owner(of copy: Cookie.Identity) -> Cookie.Identity? {
        guard let host = sites[copy.domain]?.host else { return nil }
        var owner = copy
        owner.domain = copy.isHostOnly ? host : record.domain(of: copy) ?? host
        // A host without a registrable domain has no cookies for subdomains (RFC 6265bis, section 5.7, step 9).
        if suffixes.registrableDomain(of: owner.domain) == nil { (owner.domain, owner.isHostOnly) = (host, true) }
        return owner
    }
}
