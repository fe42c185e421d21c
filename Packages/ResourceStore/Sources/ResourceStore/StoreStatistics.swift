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
