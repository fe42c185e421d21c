// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// One change of a jar: a cookie came, was changed, or went.
public struct CookieChange: Sendable, Hashable {
    /// What happened.
    public enum Cause: String, Sendable, Hashable {
        /// There was none of this identity.
        case set
        /// It took the place of one.
        case overwritten
        /// Its time was over, or it was set with an end in the past.
        case expired
        /// There were too many.
        case evicted
        /// It was removed by name, by site, or with all others.
        case removed
    }

    /// Who did it.
    public enum Source: String, Sendable, Hashable {
        /// A response.
        case http
        /// A script of a page.
        case script
        /// The app, or another store of cookies that it speaks for.
        case native
    }

    /// The jar's version after this change: one more than before it.
    public let version: UInt64
    /// Which cookie it is about.
    public let identity: Cookie.Identity
    /// The cookie as it is now; `nil` where it is gone.
    public let cookie: Cookie?
    /// The cookie as it was before; `nil` where there was none.
    public let previous: Cookie?
    /// What happened.
    public let cause: Cause
    /// Who did it; `nil` for the jar itself, which lets cookies expire and throws out what is too much.
    public let source: Source?

    /// Makes a change.
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
