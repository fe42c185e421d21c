// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The bytes of a blob, or where they are.
public struct StoredBlob: Sendable, Hashable {
    /// Small blobs are rows and come as bytes; the others are files.
    public enum Content: Sendable, Hashable {
        /// All of the bytes. They stay, whatever a sweep removes.
        case bytes(Data)
        /// The absolute path of a file that holds these bytes and nothing else. To keep them readable, open the
        /// file and hold it: a sweep unlinks files and never changes them.
        case file(path: String)
    }

    /// The digest of the bytes.
    public let id: BlobID
    /// The bytes, or the file that holds them.
    public let content: Content
    /// In bytes.
    public let size: Int64
}
