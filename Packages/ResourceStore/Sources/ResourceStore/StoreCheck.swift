// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// What a check of everything found.
public struct StoreCheck: Sendable, Hashable {
    /// How far a check has come.
    public struct Progress: Sendable, Hashable {
        /// Blobs that were compared with their digest.
        public var completedBlobs: Int
        /// All blobs, rows and files.
        public var totalBlobs: Int
        /// The bytes of those that were compared.
        public var completedBytes: Int64
        /// The bytes of all blobs.
        public var totalBytes: Int64
    }

    /// A name whose bytes are not there, or are there with another size.
    public struct Lack: Sendable, Hashable {
        /// The generation that names them, or `nil` for a resource.
        public let generation: Int64?
        /// The path in the generation, or the resource's key.
        public let name: String
        /// The digest of the bytes that are missing.
        public let blob: SHA256Digest
    }

    /// What SQLite says of the structure of the databases, where it does not say that they are sound.
    public internal(set) var brokenDatabases: [String] = []
    /// The blobs whose bytes were compared with their digest.
    public internal(set) var blobs = StoreStatistics.Amount()
    /// Blobs whose bytes are not those of their digest.
    public internal(set) var damagedBlobs: [SHA256Digest] = []
    /// Names without their bytes, those among them whose blob is damaged; the first 1,000.
    public internal(set) var lacking: [Lack] = []
    /// How many names lack their bytes.
    public internal(set) var lackingCount = 0
    /// Generations whose table is not as it was staged.
    public internal(set) var damagedGenerations: [Int64] = []
    /// How many resources have a record that is not as it was put.
    public internal(set) var damagedResources = 0
    /// Documents whose bytes are not those that were put.
    public internal(set) var damagedDocuments: [String] = []
    /// Blobs that nothing names. No fault: a sweep takes them.
    public internal(set) var orphanBlobs = StoreStatistics.Amount()

    /// Whether nothing is wrong.
    public var isSound: Bool {
        brokenDatabases.isEmpty && damagedBlobs.isEmpty && lackingCount == 0 && damagedGenerations.isEmpty
            && damagedResources == 0 && damagedDocuments.isEmpty
    }
}
