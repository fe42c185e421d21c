// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import FuzzSupport
internal import Synchronization

/// A receiver of cookie changes. The version of each change must be the previous version plus 1.
final class ReceivedChanges: Sendable {
    private let last = Mutex<UInt64>(0)

    var version: UInt64 { last.withLock { $0 } }

    func receive(_ change: CookieChange) {
        last.withLock { last in
            Fuzz.expect(change.version == last + 1, "change \(change.version) after \(last)")
            Fuzz.expect(change.cookie != nil || change.previous != nil, "an empty change")
            last = change.version
        }
    }
}
