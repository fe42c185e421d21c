// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a store has counted since it was opened.
public struct StoreCounters: Sendable, Hashable {
    /// Small blobs that were found in memory.
    public internal(set) var memoryHits = 0
    /// Small blobs, and blobs of unknown size, that were not.
    public internal(set) var memoryMisses = 0
    /// What the memory cache holds now, in bytes.
    public internal(set) var memoryBytes = 0
    /// Blobs whose bytes were not those of their digest. Each was dropped.
    public internal(set) var damagedBlobs = 0
    /// How often the database of small blobs was no database and was begun anew.
    public internal(set) var lostRowDatabases = 0
    /// Resources whose record was damaged. Each is treated as if it were not there.
    public internal(set) var damagedResources = 0
    /// Documents whose bytes were not those that were put. Each was dropped.
    public internal(set) var damagedDocuments = 0
    /// Resources that were removed because their budget was full.
    public internal(set) var evictedResources = 0

    /// Makes counters that are zero.
    public init() {}
}
