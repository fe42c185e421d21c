// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// The bytes of a blob, or where they are.
public struct StoredBlob: Sendable, Hashable {
    /// Small blobs are rows and come as bytes; the others are files.
    public enum Content: Sendable, Hashable {
        /// All of the bytes. They stay, whatever a sweep removes.
        case bytes(Data)
        /// An open file that holds these bytes and nothing else.
        case file(StoredFile)
    }

    /// The digest of the bytes.
    public let id: SHA256Digest
    /// The bytes, or the file that holds them.
    public let content: Content
    /// In bytes.
    public let size: Int64
}
