// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// Writes one blob and hashes it on the way.
///
/// Dropped without ``finish(expecting:)``, or after any error, it leaves nothing behind.
public struct BlobWriter: ~Copyable, Sendable {
    private let batch: BlobBatch
    private var buffer = BlobBuffer.memory(Data())
    private var hasher = SHA256Hasher()
    /// How many bytes were written so far.
    public private(set) var size: Int64 = 0

    init(_ batch: BlobBatch) {
        self.batch = batch
    }

    /// Appends bytes. They are copied: the chunk's buffer is the caller's again.
    /// - Throws: ``StoreError``, as code ``StoreError/Code-swift.struct/diskFull`` where there is no room.
    public mutating func write(_ chunk: Data) throws {
        hasher.update(chunk)
        try buffer.append(chunk, upTo: batch.store.configuration.smallBlobLimit, makeFile: batch.store.makeStagedFile)
        size += Int64(chunk.count)
    }

    /// Gives the blob to its batch. From now on ``BlobStore/blob(_:size:)`` finds it, while the batch lives.
    ///
    /// The bytes are not safe from a kill or a power cut before a generation that names them is staged. A small blob
    /// is written with others a little later: an error of that is thrown by a later call to the batch, at the latest by
    /// ``BlobStore/stage(package:version:metadata:entries:from:)``.
    /// - Parameter expected: what the bytes were announced as, if they were.
    /// - Returns: the address of the bytes.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/digestMismatch`` where the bytes are
    ///   not those expected.
    public consuming func finish(expecting expected: SHA256Digest? = nil) throws -> SHA256Digest {
        let id = hasher.finalize()
        if let expected { try id.check(expected, size: size) }
        batch.claim(id)
        switch buffer {
        case .memory(let bytes): try batch.add(bytes, as: id)
        case .file(let file): try batch.place(file, as: id, size: size)
        }
        return id
    }
}
