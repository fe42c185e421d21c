// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A limit of memory that several owners share. An owner reserves bytes before it allocates them, and releases them
/// later.
///
/// A reservation never waits: it fails if too few bytes are left.
///
/// Isolation: any.
public final class ByteBudget: Sendable {
    /// The maximum number of reserved bytes.
    public let limit: Int
    private let amount = Mutex(0)

    /// Creates a budget.
    /// - Parameter limit: the maximum in bytes; a negative value counts as zero.
    public init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// The number of bytes that are reserved now.
    public var used: Int { amount.withLock { $0 } }

    /// Reserves all of the bytes or none.
    /// - Returns: `true` if the bytes were reserved.
    public func reserve(_ count: Int) -> Bool {
        amount.withLock { used in
            guard count >= 0, count <= limit - used else { return false }
            used += count
            return true
        }
    }

    /// Releases reserved bytes.
    public func release(_ count: Int) {
        amount.withLock { $0 = max(0, $0 - max(0, count)) }
    }
}
