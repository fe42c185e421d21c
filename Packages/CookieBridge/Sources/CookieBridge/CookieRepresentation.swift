// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import WebSyntax

/// The properties of a cookie that a store can represent. Cookies with the same representation count as equal.
///
/// The times of creation and last access are never compared, because engines do not store them.
struct CookieRepresentation: Sendable, Hashable {
    /// A Boolean value that indicates whether the store distinguishes an unspecified SameSite from `None`; `true` by
    /// default.
    var keepsUnspecifiedSameSite = true
    /// A Boolean value that indicates whether the store keeps the expiry of cookies; `true` by default. Otherwise a
    /// session cookie of the store equals the same cookie with an expiry.
    var keepsExpiry = true
    /// The largest difference between two expiry times that count as equal, in seconds. Stores round to whole seconds,
    /// up or down.
    let expirySlack = 1.0

    /// The representation of a store that preserves all properties.
    static let whole = CookieRepresentation()
    /// The representation of an engine's store that has three values of SameSite, such as libsoup's.
    static let engine = CookieRepresentation(keepsUnspecifiedSameSite: false)

    /// Returns a Boolean value that indicates whether the store represents two states of one identity in the same way.
    /// A missing cookie is `nil`.
    func isSame(_ one: Cookie?, _ other: Cookie?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        guard one.identity == other.identity, one.value.hasSameBytes(as: other.value), one.isSecure == other.isSecure,
            one.isHTTPOnly == other.isHTTPOnly, stored(one.sameSite) == stored(other.sameSite)
        else { return false }
        guard let end = one.expires, let otherEnd = other.expires else {
            return !keepsExpiry || one.expires == nil && other.expires == nil
        }
        return abs(end.timeIntervalSince(otherEnd)) <= expirySlack
    }

    /// Returns a cookie as read from the store, completed with the properties of the previous cookie that the store
    /// cannot represent.
    func restored(_ shown: Cookie, over previous: Cookie?) -> Cookie {
        guard let previous else { return shown }
        var cookie = shown
        cookie.created = previous.created
        cookie.lastAccess = max(previous.lastAccess, shown.lastAccess)
        if previous.sameSite == .unspecified, stored(.unspecified) == shown.sameSite { cookie.sameSite = .unspecified }
        if !keepsExpiry, shown.expires == nil, shown.value.hasSameBytes(as: previous.value) {
            cookie.expires = previous.expires
        }
        if let end = shown.expires, let previousEnd = previous.expires,
            abs(end.timeIntervalSince(previousEnd)) <= expirySlack
        {
            cookie.expires = previousEnd
        }
        return cookie
    }

    private func stored(_ sameSite: Cookie.SameSite) -> Cookie.SameSite {
        sameSite == .unspecified && !keepsUnspecifiedSameSite ? .none : sameSite
    }
}
