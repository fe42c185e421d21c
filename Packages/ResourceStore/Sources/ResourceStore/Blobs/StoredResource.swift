// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
internal import Foundation

/// A file that is stored under a key, outside of any generation, until it is removed or evicted.
public struct StoredResource: Sendable, Hashable {
    /// The key: the download URL. Keys are compared byte by byte.
    public let key: String
    /// The digest of the bytes.
    public let blob: SHA256Digest
    /// The size in bytes.
    public let size: Int64
    /// The media type for `Content-Type`.
    public let mediaType: String
    /// A value that identifies the version of the bytes, such as an MD5 digest. The store does not interpret it.
    public let validator: String
    /// The bytes that the budget counts in addition to the file, for example for its record. Not negative; 0 by
    /// default.
    public var overhead: Int64 = 0
    /// The day of the last use; see ``BlobStore/Configuration/today``. The store sets it.
    public internal(set) var lastUse: Int64 = 0

    /// Creates a record. The store validates it when the resource is stored.
    public init(key: String, blob: SHA256Digest, size: Int64, mediaType: String, validator: String) {
        self.key = key
        self.blob = blob
        self.size = size
        self.mediaType = mediaType
        self.validator = validator
    }

    /// The seal over all fields except the day, to detect changes of the stored row.
    var seal: Data {
        var seal = Seal()
        seal.add(key)
        seal.add(blob)
        seal.add(size)
        seal.add(mediaType)
        seal.add(validator)
        // The overhead is omitted if it is 0, so that the seals of older records without an overhead stay valid.
        if overhead != 0 { seal.add(overhead) }
        return seal.finish()
    }
}
