// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A store will never take this cookie: it is not offered again until it changes.
public struct CookieRejection: Error, Sendable, CustomStringConvertible {
    /// Why, for a person; without the cookie's value.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
