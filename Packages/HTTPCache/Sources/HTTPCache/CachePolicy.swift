// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The rules of a cache (RFC 9111, RFC 5861, RFC 8246) as pure functions of requests, stored responses and the time.
public struct CachePolicy: Sendable, Hashable {
    /// Whom a cache serves.
    public enum Scope: Sendable, Hashable {
        /// One user: `private` responses are stored, `s-maxage` and `proxy-revalidate` mean nothing.
        case `private`
        /// Many users, such as a reverse proxy.
        case shared
    }

    /// Whom the cache serves. Default: private.
    public var scope: Scope
    /// The lifetime of a response that says none, as a part of the time since it was last modified. Default: 0.1.
    public var heuristicFraction: Double
    /// The longest lifetime that is guessed, in seconds. Default: a week.
    public var heuristicLimit: TimeInterval
    /// Whether a stale response answers when the origin cannot be reached, where the response does not forbid it.
    /// Default: true.
    public var answersStaleWhenUnreachable: Bool

    public init(
        scope: Scope = .private, heuristicFraction: Double = 0.1, heuristicLimit: TimeInterval = 7 * 86_400,
        answersStaleWhenUnreachable: Bool = true
    ) {
        self.scope = scope
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.answersStaleWhenUnreachable = answersStaleWhenUnreachable
    }
}
