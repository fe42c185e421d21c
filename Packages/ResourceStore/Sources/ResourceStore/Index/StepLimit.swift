// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import GRDBSQLite

/// A cost limit of one database access, in steps of SQLite's virtual machine.
///
/// The limit prevents a malformed file from blocking a thread forever: pages that link to each other look like an
/// endless table.
struct StepLimit: Sendable {
    /// The number of steps.
    let steps: Int
    /// A Boolean value that indicates whether an access also ends when the current task is cancelled.
    let observesCancellation: Bool

    /// A limit far above the needs of the largest store: at least ten seconds of processor time.
    static let generous = StepLimit(steps: 1_000_000_000, observesCancellation: false)

    /// Returns a limit for databases whose size is known and does not change. A row takes at least about 40 bytes, and
    /// checking it against its indexes at most 100 steps.
    static func inspection(ofBytes bytes: Int64) -> StepLimit {
        StepLimit(steps: 10_000_000 + 16 * Int(clamping: min(bytes, 1 << 40)), observesCancellation: true)
    }

    /// The number of steps between two checks of the limit.
    fileprivate static let interval: CInt = 4_096
}

/// The steps of one access, counted by SQLite's progress callback.
private struct StepCount {
    var remaining: Int
    let observesCancellation: Bool
    var isExceeded = false
    var isCancelled = false

    init(_ limit: StepLimit) {
        remaining = limit.steps
        observesCancellation = limit.observesCancellation
    }

    /// Counts one interval of steps.
    /// - Returns: `true` if the statement must end.
    mutating func count() -> Bool {
        remaining -= Int(StepLimit.interval)
        isExceeded = remaining < 0
        isCancelled = observesCancellation && Task.isCancelled
        return isExceeded || isCancelled
    }
}

extension Database {
    /// Runs an access within a limit. Accesses of one connection must not overlap or nest.
    /// - Throws: ``StoreError``, with code `damaged` if the limit is exceeded;
    ///   `CancellationError`; the error of `body`.
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
                throw StoreError(.damaged, "an access to the database exceeds \(limit.steps) steps", cause: error)
            }
        }
    }
}
