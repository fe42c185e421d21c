// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// The cookies that are cleared together.
public enum CookieScope: Sendable, Hashable {
    /// Every cookie.
    case all
    /// The cookies of these domains and of all hosts below them, as an account has them. Domains are in lower case, without
    /// leading dots.
    case domains(Set<String>)

    /// Returns a Boolean value that indicates whether a cookie of this identity belongs to the scope.
    public func contains(_ identity: Cookie.Identity) -> Bool {
        reaches(identity.domain)
    }

    /// Returns a Boolean value that indicates whether a host is one of the domains or lies below one. No host lies below an
    /// address (RFC 6265bis, section 5.1.3).
    /// - Parameter host: a canonical host, an IPv6 address in brackets.
    @_spi(Facade) public func reaches(_ host: String) -> Bool {
        switch self {
        case .all: true
        case .domains(let domains):
            domains.contains(host) || domains.contains { CookieHost.matches(host, domain: $0) }
        }
    }

    /// Returns the scope of the cookies that belong to one of two scopes.
    static func union(_ one: CookieScope?, _ other: CookieScope?) -> CookieScope? {
        switch (one, other) {
        case (.all, _), (_, .all): .all
        case (.domains(let one), .domains(let other)): .domains(one.union(other))
        case (let scope, nil), (nil, let scope): scope
        }
    }
}
