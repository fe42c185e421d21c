// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// One stored version of a package.
public struct StoredGeneration: Sendable, Hashable {
    /// The lifecycle state of a generation. Later versions may add states, so a `switch` over the states needs a
    /// `default`.
    public struct State: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The stored name of the state.
        public let rawValue: String

        /// Creates a state from any name. Unknown names of later versions are preserved.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the state.
        public var description: String { rawValue }

        /// The generation is complete and verified, but not in use yet.
        public static let staged = State(rawValue: "staged")
        /// The generation serves requests of its package. Each package has at most one active generation.
        public static let active = State(rawValue: "active")
        /// The generation is not in use any more. A sweep removes it when it is not pinned any more.
        public static let retired = State(rawValue: "retired")
    }

    /// The number of the generation, counted from one in the order of staging. A store never reuses a number.
    public let number: Int64
    /// The package's identifier.
    public let package: String
    /// The package's version. Several generations of a package may have the same version.
    public let version: String
    /// The lifecycle state at the time of the read.
    public var state: State
    /// Data of the owner, which the store does not interpret. It is read for every generation when a store is opened,
    /// so it should not exceed a few hundred bytes.
    public let metadata: Data
}

/// One entry of a generation's table: a path and its blob.
public struct StoredEntry: Sendable, Hashable {
    /// The path, unique within the generation and compared byte by byte. The store does not interpret it.
    public let path: String
    /// The digest of the content at the path.
    public let blob: SHA256Digest
    /// The size in bytes.
    public let size: Int64
    /// The media type for `Content-Type`.
    public let mediaType: String

    /// Creates an entry. The store validates it when a generation is staged.
    public init(path: String, blob: SHA256Digest, size: Int64, mediaType: String) {
        self.path = path
        self.blob = blob
        self.size = size
        self.mediaType = mediaType
    }
}
