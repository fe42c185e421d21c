// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// Which cookies are cleared together.
public enum CookieScope: Sendable, Hashable {
    /// Every cookie.
    case all
    /// Cookies of these domains and of all below them, as an account has them. Lower case, without leading dots.
    case domains(Set<String>)

    /// Whether a cookie of this identity belongs to it.
    public func contains(_ identity: Cookie.Identity) -> Bool {
        switch self {
        case .all: true
        case .domains(let domains):
            domains.contains(identity.domain) || domains.contains { identity.domain.hasSuffix("." + $0) }
        }
    }

    /// What belongs to one of two.
    static func union(_ one: CookieScope?, _ other: CookieScope?) -> CookieScope? {
        switch (one, other) {
        case (.all, _), (_, .all): .all
        case (.domains(let one), .domains(let other)): .domains(one.union(other))
        case (let scope, nil), (nil, let scope): scope
        }
    }
}
