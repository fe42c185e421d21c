// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a store holds at one moment.
public struct StoreStatistics: Sendable, Hashable {
    /// A number of things, and their bytes together.
    public struct Amount: Sendable, Hashable, Codable {
        /// How many there are.
        public internal(set) var count = 0
        /// Their bytes together.
        public internal(set) var bytes: Int64 = 0

        /// Counts a thing. Sizes of a damaged database may be any numbers.
        mutating func add(_ size: Int64) {
            count += 1
            let (sum, overflow) = bytes.addingReportingOverflow(size)
            bytes = overflow ? .max : sum
        }
    }

    /// Blobs that are rows of the database.
    public internal(set) var rowBlobs = Amount()
    /// Blobs that are files.
    public internal(set) var fileBlobs = Amount()
    /// Those of both that nothing names: what a sweep would take.
    public internal(set) var orphanBlobs = Amount()
    /// How many generations are in each state; states without one are left out.
    public internal(set) var generations: [StoredGeneration.State: Int] = [:]
    /// The blobs that generations name, each counted once: what ``BlobStore/Configuration/packageBudget`` is about.
    public internal(set) var packages = Amount()
    /// The resources, each with its size and overhead: what ``BlobStore/Configuration/resourceBudget`` is about.
    public internal(set) var resources = Amount()
    /// The documents, each with its file's size.
    public internal(set) var documents = Amount()
}

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
