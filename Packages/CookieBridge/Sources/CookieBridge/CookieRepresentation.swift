// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

/// What a store can say of a cookie: two cookies that it cannot tell apart are no change.
///
/// When a cookie was made and last read is never compared: engines keep neither.
public struct CookieRepresentation: Sendable, Hashable {
    /// Whether it neither shows nor changes HttpOnly cookies. Default: no.
    public var hidesHTTPOnly: Bool
    /// Whether a cookie that does not say its SameSite stays apart from one with `None`. Default: yes.
    public var keepsUnspecifiedSameSite: Bool
    /// How far an expiry may be off, in seconds, and still be the same. Default: 1, as stores round to whole seconds, up
    /// or down.
    public var expirySlack: Double

    public init(hidesHTTPOnly: Bool = false, keepsUnspecifiedSameSite: Bool = true, expirySlack: Double = 1) {
        self.hidesHTTPOnly = hidesHTTPOnly
        self.keepsUnspecifiedSameSite = keepsUnspecifiedSameSite
        self.expirySlack = expirySlack
    }

    /// A store that keeps all of a cookie.
    public static let whole = CookieRepresentation()
    /// An engine's store that knows three kinds of SameSite, as libsoup's.
    public static let engine = CookieRepresentation(keepsUnspecifiedSameSite: false)
    /// The view of scripts on a store.
    public static let script = CookieRepresentation(hidesHTTPOnly: true)

    /// What the store is to hold of a cookie: nothing where it hides it.
    func projected(_ cookie: Cookie?) -> Cookie? {
        guard let cookie, !(hidesHTTPOnly && cookie.isHTTPOnly) else { return nil }
        return cookie
    }

    /// Whether two states of one identity look the same in the store; `nil` is a cookie that is not there.
    func isSame(_ one: Cookie?, _ other: Cookie?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        guard one.identity == other.identity, one.value == other.value, one.isSecure == other.isSecure,
            one.isHTTPOnly == other.isHTTPOnly, kept(one.sameSite) == kept(other.sameSite)
        else { return false }
        guard let end = one.expires, let otherEnd = other.expires else {
            return one.expires == nil && other.expires == nil
        }
        return abs(end.timeIntervalSince(otherEnd)) <= expirySlack
    }

    /// A cookie as the store shows it, with what the store cannot keep taken from the one before.
    func restored(_ shown: Cookie, over previous: Cookie?) -> Cookie {
        guard let previous else { return shown }
        var cookie = shown
        cookie.created = previous.created
        cookie.lastAccess = max(previous.lastAccess, shown.lastAccess)
        if previous.sameSite == .unspecified, kept(.unspecified) == shown.sameSite { cookie.sameSite = .unspecified }
        if let end = shown.expires, let previousEnd = previous.expires,
            abs(end.timeIntervalSince(previousEnd)) <= expirySlack
        {
            cookie.expires = previousEnd
        }
        return cookie
    }

    private func kept(_ sameSite: Cookie.SameSite) -> Cookie.SameSite {
        sameSite == .unspecified && !keepsUnspecifiedSameSite ? .none : sameSite
    }
}
