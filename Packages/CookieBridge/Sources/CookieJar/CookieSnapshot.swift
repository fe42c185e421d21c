// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a jar held at one moment.
struct CookieSnapshot: Sendable, Hashable {
    /// All later changes have a higher one.
    let version: UInt64
    /// In the order in which they were first stored.
    let cookies: [Cookie]

    /// Makes a snapshot.
    init(version: UInt64, cookies: [Cookie]) {
        self.version = version
        self.cookies = cookies
    }
}
