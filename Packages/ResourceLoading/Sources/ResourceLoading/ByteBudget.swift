// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Bytes of memory that several owners share: who wants to hold some takes them first, and gives them back.
///
/// Nobody waits: where nothing is left, the owner does without, and says so in its own words.
/// Isolation: any.
public final class ByteBudget: Sendable {
    /// The most bytes that are taken at a time.
    public let limit: Int
    private let amount = Mutex(0)

    /// - Parameter limit: in bytes; below zero counts as none.
    public init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// How many bytes are taken now.
    public var used: Int { amount.withLock { $0 } }

    /// Takes bytes, all or none.
    /// - Returns: whether they were there.
    public func reserve(_ count: Int) -> Bool {
        amount.withLock { used in
            guard count >= 0, count <= limit - used else { return false }
            used += count
            return true
        }
    }

    /// Gives back bytes that were taken.
    public func giveBack(_ count: Int) {
        amount.withLock { $0 = max(0, $0 - max(0, count)) }
    }
}
