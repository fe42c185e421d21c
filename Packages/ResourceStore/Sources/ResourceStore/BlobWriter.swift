// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes one blob and hashes it on the way.
///
/// Dropped without ``finish(expecting:)``, or after any error, it leaves nothing behind.
public struct BlobWriter: ~Copyable, Sendable {
    private let batch: BlobBatch
    private let file: StagedFile
    private var hasher = SHA256()
    /// How many bytes were written so far.
    public private(set) var size: Int64 = 0

    init(_ batch: BlobBatch, file: StagedFile) {
        self.batch = batch
        self.file = file
    }

    /// Appends bytes.
    /// - Throws: ``StoreError``, as code ``StoreError/Code-swift.struct/diskFull`` where there is no room.
    public mutating func write(_ chunk: Data) throws {
        hasher.update(data: chunk)
        try file.write(chunk)
        size += Int64(chunk.count)
    }

    /// Moves the blob into place. A blob that is there already stays, and these bytes are dropped.
    ///
    /// The bytes are not safe from a power cut before a generation that names them is staged.
    /// - Parameter expected: what the bytes were announced as, if they were.
    /// - Returns: the address of the bytes.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/digestMismatch`` where the bytes are
    ///   not those expected.
    public consuming func finish(expecting expected: BlobID? = nil) throws -> BlobID {
        let id = BlobID(hasher.finalize())
        if let expected, expected != id {
            throw StoreError(.digestMismatch, "\(size) bytes with SHA-256 \(id), expected \(expected)")
        }
        batch.claim(id)
        try batch.store.place(file, as: id, size: size)
        return id
    }
}
