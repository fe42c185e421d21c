// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation

@_spi(Facade) @testable import CookieBridge

/// A store that a test controls. For each cookie it records the cause of its state.
struct SimulatedStore {
    /// The cause of a cookie's state: an external change with its number, or the reconciler.
    enum Cause: Hashable {
        case outside(Int)
        /// A write of the reconciler; `failed` if it was applied but reported as failed.
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

    /// Returns the cookies in the order of their names, so that runs are repeatable.
    func cookies(at now: Date) -> [Cookie] {
        held.values.compactMap(\.cookie).filter { $0.expires.map { $0 > now } ?? true }
            .sorted { ($0.identity.domain, $0.identity.name) < ($1.identity.domain, $1.identity.name) }
    }

    /// Returns the cookie as the store represents it: an engine drops the creation time and rounds the expiry.
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
