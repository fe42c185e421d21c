// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
internal import Foundation

/// A file that is kept under a key, outside of any generation, until it is removed or evicted.
public struct StoredResource: Sendable, Hashable {
    /// What it is found by: its download URL. Compared byte by byte.
    public let key: String
    /// The digest of the bytes.
    public let blob: SHA256Digest
    /// In bytes.
    public let size: Int64
    /// Media type as it goes into `Content-Type`.
    public let mediaType: String
    /// What says whether the bytes are still those wanted, such as an MD5. The store attaches no meaning to it.
    public let validator: String
    /// What the budget counts for it beside its bytes: what its record takes, where that matters. In bytes, not negative.
    /// Default: nothing.
    public var overhead: Int64 = 0
    /// The day of its last use, see ``BlobStore/Configuration/today``. Set by the store.
    public internal(set) var lastUse: Int64 = 0

    /// Makes a record. The store checks it when it is put.
    public init(key: String, blob: SHA256Digest, size: Int64, mediaType: String, validator: String) {
        self.key = key
        self.blob = blob
        self.size = size
        self.mediaType = mediaType
        self.validator = validator
    }

    /// Says of a row whether it is what was written, the day apart.
    var seal: Data {
        var seal = Seal()
        seal.add(key)
        seal.add(blob)
        seal.add(size)
        seal.add(mediaType)
        seal.add(validator)
        // As before there was any.
        if overhead != 0 { seal.add(overhead) }
        return seal.finish()
    }
}
