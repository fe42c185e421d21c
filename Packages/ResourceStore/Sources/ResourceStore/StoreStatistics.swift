// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The content of a store at one time.
@_spi(Facade) public struct StoreStatistics: Sendable, Hashable {
    /// A number of items and their total size.
    @_spi(Facade) public struct Amount: Sendable, Hashable, Codable {
        /// The number of items.
        public internal(set) var count = 0
        /// The total size in bytes.
        public internal(set) var bytes: Int64 = 0

        /// Adds an item. The sizes in a damaged database may be arbitrary numbers.
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
    /// Blobs of both kinds without a reference, which a sweep would remove.
    public internal(set) var orphanBlobs = Amount()
    /// The number of generations in each state. States without generations are omitted.
    public internal(set) var generations: [StoredGeneration.State: Int] = [:]
    /// The blobs of generations, each counted once. ``BlobStore/Configuration/packageBudget`` limits their size.
    public internal(set) var packages = Amount()
    /// The resources with size and overhead. ``BlobStore/Configuration/resourceBudget`` limits their size.
    public internal(set) var resources = Amount()
    /// The documents with the sizes of their files.
    public internal(set) var documents = Amount()
}

/// The counters of a store since it was opened.
public struct StoreCounters: Sendable, Hashable {
    /// The number of lookups of small blobs that found the blob in the memory cache.
    public internal(set) var memoryHits = 0
    /// The number of other lookups of small blobs and of blobs of unknown size.
    public internal(set) var memoryMisses = 0
    /// The current size of the memory cache in bytes.
    public internal(set) var memoryBytes = 0
    /// The number of blobs that did not match their digest. Each was removed.
    public internal(set) var damagedBlobs = 0
    /// The number of damaged databases of small blobs that were replaced with an empty database.
    public internal(set) var lostRowDatabases = 0
    /// The number of reads of resources with a damaged record. These resources are treated as missing.
    public internal(set) var damagedResources = 0
    /// The number of documents that did not match their digest. Each was removed.
    public internal(set) var damagedDocuments = 0
    /// The number of resources that were evicted because their budget was full.
    public internal(set) var evictedResources = 0

    /// Creates counters with the value zero.
    public init() {}
}

/// The result of a sweep.
public struct SweepResult: Sendable, Hashable {
    /// The numbers of the removed generations.
    public internal(set) var generations: [Int64] = []
    /// The number of removed blobs.
    public internal(set) var blobs = 0
    /// The size of the removed blobs in bytes.
    public internal(set) var bytes: Int64 = 0

    /// Adds a removed blob. The sizes in a damaged database may be arbitrary numbers.
    mutating func add(_ size: Int64) {
        blobs += 1
        let (sum, overflow) = bytes.addingReportingOverflow(size)
        bytes = overflow ? .max : sum
    }
}
