// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// The requests that a server has processed, by their identifiers.
///
/// Isolation: any.
final class ProcessedRequests: Sendable {
    private let table = Mutex<[String: Int]>([:])

    /// The number of times that each request was processed.
    var counts: [String: Int] { table.withLock { $0 } }

    func record(_ id: String) {
        table.withLock { $0[id, default: 0] += 1 }
    }
}

/// A generator of repeatable numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Returns `true` in one of `count` cases.
    mutating func oneIn(_ count: UInt64) -> Bool {
        next() % count == 0
    }
}
