// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// A cookie as a user agent stores it (RFC 6265bis, section 5.7).
public struct Cookie: Sendable, Hashable {
    /// The key of a stored cookie. A new cookie replaces the old cookie with the same identity.
    public struct Identity: Sendable, Hashable {
        /// The name of the cookie; may be empty.
        public var name: String
        /// The domain, in lower case, without a leading dot.
        public var domain: String
        /// A Boolean value that indicates whether the cookie is sent to its domain only, and not to subdomains.
        public var isHostOnly: Bool
        /// The path. The cookie is sent to this path and to all paths below it.
        public var path: String

        /// Creates an identity without any check.
        public init(name: String, domain: String, isHostOnly: Bool, path: String) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
        }

        /// Returns a Boolean value that indicates whether both identities have the same bytes.
        public static func == (one: Identity, other: Identity) -> Bool {
            one.isHostOnly == other.isHostOnly && one.name.hasSameBytes(as: other.name)
                && one.domain.hasSameBytes(as: other.domain) && one.path.hasSameBytes(as: other.path)
        }

        /// Hashes the bytes of the identity.
        public func hash(into hasher: inout Hasher) {
            name.hashBytes(into: &hasher)
            domain.hashBytes(into: &hasher)
            path.hashBytes(into: &hasher)
        }
    }

    /// The cross-site requests that a cookie is sent with (RFC 6265bis, section 5.5).
    public enum SameSite: String, Sendable, Hashable {
        /// The cookie has no `SameSite` attribute, which is similar to `lax`.
        case unspecified
        /// All requests.
        case none
        /// Top-level navigations with a safe method.
        case lax
        /// No cross-site request.
        case strict
    }

    /// The key of the cookie in a store.
    public var identity: Identity
    /// The value, with its quotes unchanged; may be empty.
    public var value: String
    /// The expiry time; `nil` for a session cookie.
    public var expires: Date?
    /// The time at which a cookie of this identity was first stored. Of cookies with paths of equal length, older
    /// cookies are sent first.
    public var created: Date
    /// The time at which the cookie was last sent or read.
    public var lastAccess: Date
    /// A Boolean value that indicates whether the cookie is sent over secure connections only.
    public var isSecure: Bool
    /// A Boolean value that indicates whether scripts can neither see nor change the cookie.
    public var isHTTPOnly: Bool
    /// The cross-site requests that the cookie is sent with.
    public var sameSite: SameSite

    /// Creates a cookie without any check.
    public init(
        _ identity: Identity, value: String, expires: Date? = nil, created: Date, lastAccess: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified
    ) {
        self.identity = identity
        self.value = value
        self.expires = expires
        self.created = created
        self.lastAccess = lastAccess ?? created
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    /// Returns a Boolean value that indicates whether both cookies are equal, with the same bytes in their texts.
    public static func == (one: Cookie, other: Cookie) -> Bool {
        one.identity == other.identity && one.value.hasSameBytes(as: other.value) && one.expires == other.expires
            && one.created == other.created && one.lastAccess == other.lastAccess && one.isSecure == other.isSecure
            && one.isHTTPOnly == other.isHTTPOnly && one.sameSite == other.sameSite
    }

    /// Hashes the identity and the bytes of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        value.hashBytes(into: &hasher)
    }
}

extension Sequence where Element == Cookie {
    /// The `Cookie` field value of the cookies (RFC 6265bis, section 5.8.3, step 6).
    public var fieldValue: String {
        map { $0.identity.name.isEmpty ? $0.value : "\($0.identity.name)=\($0.value)" }.joined(separator: "; ")
    }
}
