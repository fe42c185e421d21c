// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The counters of a relay, written on its event loop and read from any isolation.
final class RelayCounts: Sendable {
    private let counters = Mutex(ShapingRelay.Counters())
    private let down = Mutex<[LinkScheduler.ConnectionID: Int64]>([:])

    var current: ShapingRelay.Counters { counters.withLock { $0 } }

    func update(_ change: (inout ShapingRelay.Counters) -> Void) {
        counters.withLock { change(&$0) }
    }

    /// The bytes delivered to the client of each open connection, in the order of acceptance.
    var downByConnection: [Int64] {
        down.withLock { down in down.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value) }
    }

    func addDown(_ count: Int, to connection: LinkScheduler.ConnectionID) {
        down.withLock { $0[connection, default: 0] += Int64(count) }
    }

    func remove(_ connection: LinkScheduler.ConnectionID) {
        down.withLock { $0[connection] = nil }
    }
}
