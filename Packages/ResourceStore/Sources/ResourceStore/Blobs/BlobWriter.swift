// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// A writer of one blob that computes its digest.
///
/// If a writer is released without ``finish(expecting:)``, or after an error, no data remains.
public struct BlobWriter: ~Copyable, Sendable {
    private let batch: BlobBatch
    private var buffer = BlobBuffer.memory(Data())
    private var hasher = SHA256Hasher()
    /// The number of bytes that were written so far.
    public private(set) var size: Int64 = 0

    init(_ batch: BlobBatch) {
        self.batch = batch
    }

    /// Appends bytes. They are copied, so that the caller can reuse its buffer.
    /// - Throws: ``StoreError``, with code `diskFull` if the disk is full.
    public mutating func write(_ chunk: Data) throws {
        hasher.update(chunk)
        try buffer.append(chunk, upTo: batch.store.configuration.smallBlobLimit, makeFile: batch.store.makeStagedFile)
        size += Int64(chunk.count)
    }

    /// Adds the blob to its batch. From now on, ``BlobStore/blob(_:size:)`` finds the blob while the batch exists.
    ///
    /// The bytes are durable only after a generation that refers to them is staged. A small blob is written later
    /// together with others. An error of that write is thrown by a later call to the batch, at the latest by
    /// ``BlobStore/stage(package:version:metadata:entries:from:)``.
    /// - Parameter expected: the expected digest, if it is known.
    /// - Returns: the digest of the bytes.
    /// - Throws: ``StoreError``, with code `digestMismatch` if the digest differs from
    ///   the expected one.
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
