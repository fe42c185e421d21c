// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieJar

/// The cookies that have come with answers since it was begun.
final class CookieChangeSet: Sendable {
    private let recorded = Mutex<Set<Cookie.Identity>?>([])

    /// Which they are; `nil` for more than can be named.
    var identities: Set<Cookie.Identity>? { recorded.withLock { $0 } }

    func record(_ identities: [Cookie.Identity]) {
        recorded.withLock { $0?.formUnion(identities) }
    }

    /// Whole sites have changed.
    func recordAll() {
        recorded.withLock { $0 = nil }
    }
}
