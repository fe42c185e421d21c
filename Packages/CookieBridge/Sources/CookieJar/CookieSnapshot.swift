// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a jar held at one moment.
public struct CookieSnapshot: Sendable, Hashable {
    /// All later changes have a higher one.
    public let version: UInt64
    /// In the order in which they were first stored.
    public let cookies: [Cookie]

    /// Makes a snapshot.
    public init(version: UInt64, cookies: [Cookie]) {
        self.version = version
        self.cookies = cookies
    }
}
