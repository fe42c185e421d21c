// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// A change that no store holds yet.
@_spi(Facade) public enum CookieUpdate: Sendable, Hashable {
    /// The cookie is to be stored; one that has expired is to be removed.
    case set(Cookie)
    /// The cookie is to be gone.
    case remove(Cookie.Identity)

    /// Which cookie is meant.
    public var identity: Cookie.Identity {
        switch self {
        case .set(let cookie): cookie.identity
        case .remove(let identity): identity
        }
    }

    /// Who makes a change.
    public enum Author: Sendable, Hashable {
        /// The app, or an answer's `Set-Cookie`.
        case host
        /// A page's script, which neither makes nor changes HttpOnly cookies (RFC 6265bis, section 5.7).
        case script
    }
}
