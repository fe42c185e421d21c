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
    /// The record of the app's storage; `nil` for other stores.
    private(set) var record: NativeCookieRecord?
    private(set) var held: [Cookie.Identity: Held] = [:]
    private var shown: Set<Cookie.Identity> = []

    init(_ id: CookieStoreID, _ representation: CookieRepresentation, record: NativeCookieRecord? = nil) {
        self.id = id
        self.representation = representation
        self.record = record
    }

    mutating func put(_ change: CookieUpdate, _ cause: Cause) {
        switch change {
        case .set(let cookie):
            held[cookie.identity] = Held(cookie: kept(cookie), cause: cause)
            if case .ours = cause { record?.recordWritten(cookie) }
        case .remove(let identity):
            held[identity] = Held(cookie: nil, cause: cause)
            if case .ours = cause { record?.remove(identity) }
        }
    }

    mutating func clear(_ scope: CookieScope) {
        for identity in held.keys where scope.contains(identity) { held[identity] = nil }
        record?.clear(scope)
    }

    /// Returns the cookies in the order of their names, so that runs are repeatable.
    func cookies(at now: Date) -> [Cookie] {
        held.values.compactMap(\.cookie).map { record?.restored($0) ?? $0 }
            .filter { $0.expires.map { $0 > now } ?? true }
            .sorted { ($0.identity.domain, $0.identity.name) < ($1.identity.domain, $1.identity.name) }
    }

    /// Reads the cookies, as an adapter does.
    mutating func read(at now: Date) -> [Cookie] {
        let cookies = cookies(at: now)
        guard let record else { return cookies }
        for cookie in cookies { record.recordShown(cookie) }
        let identities = Set(cookies.map(\.identity))
        for gone in shown.subtracting(identities) { record.remove(gone) }
        shown = identities
        return cookies
    }

    /// Ends the process and starts the next one: session cookies are lost, and the app's storage loses attributes.
    /// - Parameter next: the record that the next process reads.
    mutating func relaunch(with next: NativeCookieRecord?) {
        record = next
        shown = []
        held = held.compactMapValues { entry in
            guard var cookie = entry.cookie, cookie.expires != nil else { return nil }
            if next != nil { (cookie.isSecure, cookie.isHTTPOnly) = (false, false) }
            return Held(cookie: cookie, cause: .nobody)
        }
    }

    /// Compares the record with the cookies at the start of a process.
    /// - Returns: the cookies that the app has removed.
    func begin(at now: Date) -> [Cookie.Identity] {
        let removed = record?.begin(with: cookies(at: now)) ?? []
        record?.forget(removed)
        return removed
    }

    /// Returns the cookie as the store represents it: an engine drops the creation time and rounds the expiry.
    /// Foundation on Linux has no `SameSite`.
    private func kept(_ cookie: Cookie) -> Cookie {
        guard id != .jar else { return cookie }
        guard record == nil else {
            var cookie = cookie
            cookie.sameSite = .unspecified
            return cookie
        }
        var cookie = cookie
        cookie.created = .distantPast
        cookie.lastAccess = .distantPast
        cookie.expires = cookie.expires.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        if cookie.sameSite == .unspecified { cookie.sameSite = .none }
        return cookie
    }
}
