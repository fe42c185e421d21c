// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Synchronization

/// The cookies that have come with answers since it was begun.
final class CookieReceipt: Sendable {
    private let noted = Mutex<Set<Cookie.Identity>?>([])

    /// Which they are; `nil` for more than can be named.
    var identities: Set<Cookie.Identity>? { noted.withLock { $0 } }

    func note(_ identities: [Cookie.Identity]) {
        noted.withLock { $0?.formUnion(identities) }
    }

    /// Whole sites have changed.
    func noteAll() {
        noted.withLock { $0 = nil }
    }
}
