// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

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
