// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A cookie as a user agent stores it (RFC 6265bis, section 5.7).
public struct Cookie: Sendable, Hashable, Codable {
    /// What tells one stored cookie from another: a new one takes the place of an old one with the same identity.
    public struct Identity: Sendable, Hashable, Codable {
        /// The cookie's name; may be empty.
        public var name: String
        /// In lower case, without a leading dot.
        public var domain: String
        /// Whether the cookie is sent to its domain alone, and not to hosts below it.
        public var isHostOnly: Bool
        /// The path that it is sent to, and to all below it.
        public var path: String

        /// Makes an identity; nothing is checked.
        public init(name: String, domain: String, isHostOnly: Bool, path: String) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
        }
    }

    /// Which requests across sites a cookie is sent with (RFC 6265bis, section 5.5).
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// The cookie does not say, which is close to `lax`.
        case unspecified
        /// All.
        case none
        /// Those for documents that a link leads to.
        case lax
        /// None.
        case strict
    }

    /// What tells this cookie from others.
    public var identity: Identity
    /// Its value, without quotes added or taken away; may be empty.
    public var value: String
    /// When it ends; `nil` for a cookie of the session.
    public var expires: Date?
    /// When a cookie of this identity was first stored: of those that are sent together, older ones come first.
    public var created: Date
    /// When it was last sent or read.
    public var lastAccess: Date
    /// Whether it is sent over secure connections alone.
    public var isSecure: Bool
    /// Whether scripts neither see nor change it.
    public var isHTTPOnly: Bool
    /// Which sites' pages have it sent.
    public var sameSite: SameSite

    /// Makes a cookie; nothing is checked.
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
}

extension Sequence where Element == Cookie {
    /// The cookies as a request's field `Cookie` has them (RFC 6265bis, section 5.8.3, step 6).
    public var fieldValue: String {
        map { $0.identity.name.isEmpty ? $0.value : "\($0.identity.name)=\($0.value)" }.joined(separator: "; ")
    }
}
