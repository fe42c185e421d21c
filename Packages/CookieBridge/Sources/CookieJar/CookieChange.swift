// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A change of a jar: one cookie was stored, changed or removed.
public struct CookieChange: Sendable, Hashable {
    /// The cause of a change.
    public enum Cause: String, Sendable, Hashable {
        /// A cookie of a new identity was stored.
        case set
        /// The cookie replaced a cookie of the same identity.
        case overwritten
        /// The cookie expired, or it was set with an expiry in the past.
        case expired
        /// The cookie exceeded a limit of the jar.
        case evicted
        /// The cookie was removed by its identity, with its site, or with all cookies.
        case removed
    }

    /// The source of a change.
    public enum Source: String, Sendable, Hashable {
        /// A response.
        case http
        /// A script of a page.
        case script
        /// The app, or another cookie store that it synchronizes.
        case native
    }

    /// The version of the jar after the change: one more than before the change.
    public let version: UInt64
    /// The identity of the changed cookie.
    public let identity: Cookie.Identity
    /// The cookie after the change; `nil` if it was removed.
    public let cookie: Cookie?
    /// The cookie before the change; `nil` if there was none.
    public let previous: Cookie?
    /// The cause of the change.
    public let cause: Cause
    /// The source of the change; `nil` if the jar itself removed an expired or excess cookie.
    public let source: Source?

    /// Creates a change.
    public init(
        version: UInt64, identity: Cookie.Identity, cookie: Cookie?, previous: Cookie?, cause: Cause, source: Source?
    ) {
        self.version = version
        self.identity = identity
        self.cookie = cookie
        self.previous = previous
        self.cause = cause
        self.source = source
    }
}
