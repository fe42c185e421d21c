// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import GRDBSQLite

/// A limit to what one access to a database may cost, in steps of SQLite's virtual machine, so that a file which somebody
/// else has made cannot keep a thread for good: pages that lead to each other look like tables without an end.
struct StepLimit: Sendable {
    /// The number of steps.
    let steps: Int
    /// A Boolean value that indicates whether an access also ends when the current task is cancelled.
    let observesCancellation: Bool

    /// Far more than the largest store needs: ten seconds or more of a processor.
    static let generous = StepLimit(steps: 1_000_000_000, observesCancellation: false)

    /// For databases of which the size is known and does not change. A row takes some 40 bytes or more, and checking it
    /// against its indexes 100 steps or fewer.
    static func inspection(ofBytes bytes: Int64) -> StepLimit {
        StepLimit(steps: 10_000_000 + 16 * Int(clamping: min(bytes, 1 << 40)), observesCancellation: true)
    }

    /// The steps between two looks at the limit.
    fileprivate static let interval: CInt = 4_096
}

/// The steps of one access, which SQLite's callback counts.
private struct StepCount {
    var remaining: Int
    let observesCancellation: Bool
    var isExceeded = false
    var isCancelled = false

    init(_ limit: StepLimit) {
        remaining = limit.steps
        observesCancellation = limit.observesCancellation
    }

    /// - Returns: whether the statement must end.
    mutating func count() -> Bool {
        remaining -= Int(StepLimit.interval)
        isExceeded = remaining < 0
        isCancelled = observesCancellation && Task.isCancelled
        return isExceeded || isCancelled
    }
}

extension Database {
    /// Runs an access within a limit. Accesses of one connection do not overlap, and this one holds none within it.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/damaged`` past the limit; `CancellationError`;
    ///   and what `body` throws.
    func limited<Value>(_ limit: StepLimit, _ body: (Database) throws -> Value) throws -> Value {
        var count = StepCount(limit)
        return try withUnsafeMutablePointer(to: &count) { count in
            sqlite3_progress_handler(
                sqliteConnection, StepLimit.interval,
                { count in
                    guard let count else { return 0 }
                    return count.assumingMemoryBound(to: StepCount.self).pointee.count() ? 1 : 0
                }, count)
            defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
            do {
                return try body(self)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                if count.pointee.isCancelled { throw CancellationError() }
                guard count.pointee.isExceeded else { throw error }
                throw StoreError(.damaged, "the database has no end: more than \(limit.steps) steps", cause: error)
            }
        }
    }
}
