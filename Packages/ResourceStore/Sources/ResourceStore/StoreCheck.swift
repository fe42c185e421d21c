// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// The result of a complete check of a store.
@_spi(Facade) public struct StoreCheck: Sendable, Hashable {
    /// The progress of a check.
    @_spi(Facade) public struct Progress: Sendable, Hashable {
        /// The size in bytes of the blobs that were compared with their digest.
        public var completedBytes: Int64
        /// The size in bytes of all blobs, rows and files.
        public var totalBytes: Int64
    }

    /// A reference whose blob is missing or has another size.
    @_spi(Facade) public struct MissingReference: Sendable, Hashable {
        /// The generation with the reference, or `nil` for a resource.
        public let generation: Int64?
        /// The path in the generation, or the resource's key.
        public let name: String
        /// The digest of the missing bytes.
        public let blob: SHA256Digest
    }

    /// SQLite's messages about structural errors of the databases.
    public internal(set) var brokenDatabases: [String] = []
    /// The sound blobs.
    public internal(set) var blobs = StoreStatistics.Amount()
    /// Blobs that do not match their digest.
    public internal(set) var damagedBlobs: [SHA256Digest] = []
    /// References without a sound blob; the first 1,000.
    public internal(set) var missingReferences: [MissingReference] = []
    /// The number of references without a sound blob.
    public internal(set) var missingReferenceCount = 0
    /// Generations whose table does not match its seal.
    public internal(set) var damagedGenerations: [Int64] = []
    /// The number of resources whose record does not match its seal.
    public internal(set) var damagedResources = 0
    /// Documents that do not match their digest.
    public internal(set) var damagedDocuments: [String] = []
    /// Blobs without a reference. They are not an error: a sweep removes them.
    public internal(set) var orphanBlobs = StoreStatistics.Amount()

    /// A Boolean value that indicates whether the check found no error.
    public var isSound: Bool {
        brokenDatabases.isEmpty && damagedBlobs.isEmpty && missingReferenceCount == 0 && damagedGenerations.isEmpty
            && damagedResources == 0 && damagedDocuments.isEmpty
    }
}
