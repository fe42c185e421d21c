// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
