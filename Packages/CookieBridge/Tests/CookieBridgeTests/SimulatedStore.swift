// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation

@_spi(Facade) @testable import CookieBridge

/// A store in a test's hands: it knows for each cookie who made it what it is.
struct SimulatedStore {
    /// Who made the state of a cookie: a change from outside by its number, or the reconciler.
    enum Cause: Hashable {
        case outside(Int)
        /// Whether the write was reported as failed though it landed.
        case ours(failed: Bool)
        case nobody
    }

    struct Held {
        var cookie: Cookie?
        var cause: Cause
    }

    let id: CookieStoreID
    let representation: CookieRepresentation
    private(set) var held: [Cookie.Identity: Held] = [:]

    init(_ id: CookieStoreID, _ representation: CookieRepresentation) {
        self.id = id
        self.representation = representation
    }

    mutating func put(_ change: CookieUpdate, _ cause: Cause) {
        switch change {
        case .set(let cookie): held[cookie.identity] = Held(cookie: kept(cookie), cause: cause)
        case .remove(let identity): held[identity] = Held(cookie: nil, cause: cause)
        }
    }

    mutating func clear(_ scope: CookieScope) {
        for identity in held.keys where scope.contains(identity) { held[identity] = nil }
    }

    /// In the order of their names, as runs are to be repeatable.
    func cookies(at now: Date) -> [Cookie] {
        held.values.compactMap(\.cookie).filter { $0.expires.map { $0 > now } ?? true }
            .sorted { ($0.identity.domain, $0.identity.name) < ($1.identity.domain, $1.identity.name) }
    }

    /// What the store makes of a cookie: an engine forgets when it was made, and rounds.
    private func kept(_ cookie: Cookie) -> Cookie {
        guard id == .engine else { return cookie }
        var cookie = cookie
        cookie.created = .distantPast
        cookie.lastAccess = .distantPast
        cookie.expires = cookie.expires.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        if cookie.sameSite == .unspecified { cookie.sameSite = .none }
        return cookie
    }
}
