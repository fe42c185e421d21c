// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// One version of a package as it is stored.
public struct StoredGeneration: Sendable, Hashable {
    /// Where a generation is in its life. States are added over time: keep a default when switching.
    public struct State: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The state's name, as it is stored.
        public let rawValue: String

        /// Takes any name: one of a later version stays what it is.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The state's name.
        public var description: String { rawValue }

        /// Whole and verified, not in use yet.
        public static let staged = State(rawValue: "staged")
        /// The one of its package that answers. Each package has at most one.
        public static let active = State(rawValue: "active")
        /// No longer in use, kept while something pins it and until the next sweep.
        public static let retired = State(rawValue: "retired")
    }

    /// Counts up from one in each store, in the order of staging; never used twice, also after removal.
    public let number: Int64
    /// The package's identifier.
    public let package: String
    /// The package's version. Two generations of a package may carry the same.
    public let version: String
    /// Where it is in its life, when it was read.
    public var state: State
    /// What the owner wants to know again of this generation. Read for every generation when a store is
    /// opened, so a few hundred bytes at most.
    public let metadata: Data
}

/// One line of a generation's table: a path, and the blob that is found there.
public struct StoredEntry: Sendable, Hashable {
    /// Unique within the generation, compared byte by byte. The store attaches no meaning to it.
    public let path: String
    /// The digest of the bytes that are found there.
    public let blob: SHA256Digest
    /// In bytes.
    public let size: Int64
    /// Media type as it goes into `Content-Type`.
    public let mediaType: String

    /// Makes a line. The store checks it when a generation is staged.
    public init(path: String, blob: SHA256Digest, size: Int64, mediaType: String) {
        self.path = path
        self.blob = blob
        self.size = size
        self.mediaType = mediaType
    }
}
