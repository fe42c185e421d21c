// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What came of a trigger.
public enum TableCheckResult: Sendable {
    /// Nobody was asked: the last check is less than 30 seconds ago, or still under way.
    case dropped
    /// The device has no network.
    case offline
    /// The table stays: the source has no other, or the mirror only has an older one.
    case unchanged(TableSource)
    /// The source's table is now the local one.
    case replaced(TableSource, TableDiff)
    /// Whoever was asked failed; the error is that of the last one.
    case failed(TableError)
}
