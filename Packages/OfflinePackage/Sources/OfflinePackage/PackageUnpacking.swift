// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
@_spi(Packaging) internal import PackageFormat
internal import ResourceStore
internal import WebSyntax

/// The sequential transfer of an archive's files into a batch, with a check of each file against the manifest.
struct PackageUnpacking {
    private(set) var progress: InstallProgress
    private let batch: BlobBatch
    /// The blobs that are already in the store. They are hashed but not written.
    private let held: Set<SHA256Digest>
    /// The entries that are still missing, by path.
    private var awaited: [ByteText: StoredEntry]
    private var done: Set<ByteText> = []

    init(_ entries: [StoredEntry], into batch: BlobBatch, holding held: Set<SHA256Digest>) {
        self.batch = batch
        self.held = held
        awaited = Dictionary(entries.map { (ByteText($0.path), $0) }, uniquingKeysWith: { first, _ in first })
        progress = InstallProgress(
            completedFiles: 0, totalFiles: entries.count, completedBytes: 0,
            totalBytes: entries.reduce(0) { $0 + $1.size })
    }

    /// Adds one file.
    /// - Throws: `PackageError`, `StoreError` or `CancellationError`.
    mutating func add(_ entry: ArchiveEntry, _ content: inout any ArchiveEntryReading) throws {
        let path = entry.path.description
        guard let expected = awaited.removeValue(forKey: ByteText(path)) else {
            throw done.contains(ByteText(path))
                ? PackageError(.duplicateEntry, "the file occurs twice in the archive", at: path)
                : PackageError(.mismatch, "the manifest does not list the file", at: path)
        }
        if let size = entry.size { try Self.check(size, against: expected) }
        if held.contains(expected.blob) {
            try verify(&content, expected)
        } else {
            try write(&content, expected)
        }
        done.insert(ByteText(path))
        progress.completedFiles += 1
        progress.completedBytes += expected.size
    }

    /// Checks that all files were added.
    /// - Throws: `PackageError` if a file is missing.
    func finish() throws {
        guard let first = awaited.keys.min() else { return }
        throw PackageError(.mismatch, "\(awaited.count) files of the manifest are not in the archive", at: first.text)
    }

    private func write(_ content: inout any ArchiveEntryReading, _ expected: StoredEntry) throws {
        var writer = try batch.makeWriter()
        while let chunk = try content.next() {
            try Task.checkCancellation()
            // The check precedes the write, so that a file that exceeds its declared size cannot fill the disk.
            guard writer.size + Int64(chunk.count) <= expected.size else {
                throw Self.mismatch(expected, "has more than")
            }
            try writer.write(chunk)
        }
        try Self.check(writer.size, against: expected)
        do {
            _ = try writer.finish(expecting: expected.blob)
        } catch let error as StoreError where error.code == .digestMismatch {
            throw PackageError(.digestMismatch, error.message, at: expected.path, cause: error)
        }
    }

    private func verify(_ content: inout any ArchiveEntryReading, _ expected: StoredEntry) throws {
        var hasher = SHA256Hasher()
        var size: Int64 = 0
        while let chunk = try content.next() {
            try Task.checkCancellation()
            size += Int64(chunk.count)
            guard size <= expected.size else { throw Self.mismatch(expected, "has more than") }
            hasher.update(chunk)
        }
        try Self.check(size, against: expected)
        let digest = hasher.finalize()
        guard digest == expected.blob else {
            throw PackageError(
                .digestMismatch, "the file has SHA-256 \(digest), expected \(expected.blob)", at: expected.path)
        }
    }

    private static func check(_ size: Int64, against expected: StoredEntry) throws {
        guard size == expected.size else { throw mismatch(expected, "has \(size) bytes, not") }
    }

    private static func mismatch(_ expected: StoredEntry, _ what: String) -> PackageError {
        PackageError(.mismatch, "the file \(what) the manifest's \(expected.size) bytes", at: expected.path)
    }
}
