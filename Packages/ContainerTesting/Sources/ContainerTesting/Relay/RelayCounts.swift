// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// A relay's counters, written on its event loop and read from anywhere.
final class RelayCounts: Sendable {
    private let counters = Mutex(ShapingRelay.Counters())

    var current: ShapingRelay.Counters { counters.withLock { $0 } }

    func update(_ change: (inout ShapingRelay.Counters) -> Void) {
        counters.withLock { change(&$0) }
    }
}
