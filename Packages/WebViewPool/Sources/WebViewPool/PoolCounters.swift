// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a pool has done so far.
public struct PoolCounters: Sendable, Hashable {
    /// Views created. Those that take another's place at a reset do not count.
    public internal(set) var made = 0
    /// Loans of a view that was warm.
    public internal(set) var warmCheckOuts = 0
    /// Loans of a view that had to be created.
    public internal(set) var coldCheckOuts = 0
    /// Views cleaned, found clean and kept for the next loan.
    public internal(set) var recycled = 0
    /// Views ended, by reason.
    public internal(set) var ended: [DiscardReason: Int] = [:]

    /// Views ended, for whatever reason.
    public var discarded: Int { ended.values.reduce(0, +) }
    /// Views ended because they could not be shown to be clean.
    public var quarantined: Int { ended.reduce(0) { $0 + ($1.key.isQuarantine ? $1.value : 0) } }
    /// Views ended because they were checked out as often as a view may be.
    public var reuseLimit: Int { ended[.reuseLimit] ?? 0 }
    /// Views ended because memory was short.
    public var trimmed: Int { ended[.trimmed] ?? 0 }

    /// Makes counters that are zero.
    public init() {}
}
