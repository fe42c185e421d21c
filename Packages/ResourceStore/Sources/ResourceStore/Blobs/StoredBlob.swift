// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// A blob: its digest, its size, and its bytes or the file that holds them.
public struct StoredBlob: Sendable, Hashable {
    /// The location of the bytes. Small blobs are rows and are returned as bytes; larger blobs are files.
    public enum Content: Sendable, Hashable {
        /// The bytes. They stay valid after a sweep.
        case bytes(Data)
        /// An open file with exactly these bytes.
        case file(StoredFile)
    }

    /// The digest of the bytes.
    public let id: SHA256Digest
    /// The bytes, or the file that holds them.
    public let content: Content
    /// The size in bytes.
    public let size: Int64
}
