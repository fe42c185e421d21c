// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a sweep took away.
public struct SweepResult: Sendable, Hashable {
    /// The numbers of the generations removed.
    public internal(set) var generations: [Int64] = []
    /// How many blobs were removed.
    public internal(set) var blobs = 0
    /// Their size in bytes.
    public internal(set) var bytes: Int64 = 0

    /// Counts a blob that was removed. Sizes of a damaged database may be any numbers.
    mutating func add(_ size: Int64) {
        blobs += 1
        let (sum, overflow) = bytes.addingReportingOverflow(size)
        bytes = overflow ? .max : sum
    }
}
