// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// Reads an archive to its end and says whether it is whole, and whether it is what a manifest promises.
public struct PackageVerifier: Sendable {
    /// What was checked.
    public struct Summary: Sendable, Hashable {
        public var files: Int
        /// Bytes of all files when unpacked.
        public var bytes: Int64
        /// Files whose digest was compared with a manifest; 0 without one.
        public var digests: Int
    }

    public var reader: any ArchiveReading
    public var limits: ArchiveLimits

    public init(reader: any ArchiveReading = LibarchiveReader(), limits: ArchiveLimits = .default) {
        self.reader = reader
        self.limits = limits
    }

    /// Checks the archive's structure and, where it has them, its checksums.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    public func verify(_ archive: String) throws -> Summary {
        var summary = Summary(files: 0, bytes: 0, digests: 0)
        try reader.read(archive, limits: limits) { entry, reader in
            while let data = try reader.next() { summary.bytes += Int64(data.count) }
            summary.files += 1
        }
        return summary
    }

    /// Checks the archive's structure, and each file's path, size and digest: none may be missing or extra. Where the
    /// manifest names its archive, size and digest of the archive and the place of each file are checked first.
    /// - Throws: ``PackageError``, with code `mismatch` or
    ///   `digestMismatch` where the two disagree; or `CancellationError` when
    ///   the current task was cancelled.
    public func verify(_ archive: String, against manifest: PackageManifest) throws -> Summary {
        try manifest.validate(limits: .unbounded)
        if let promised = manifest.archive { try verify(archive, promised, manifest) }
        var expected = Dictionary(uniqueKeysWithValues: manifest.files.map { ($0.path, $0) })
        var summary = Summary(files: 0, bytes: 0, digests: 0)
        try reader.read(archive, limits: limits) { entry, reader in
            let name = entry.path.description
            guard let file = expected.removeValue(forKey: entry.path) else {
                throw PackageError(.mismatch, "file that the manifest does not name", at: name)
            }
            func mismatch(_ size: Int64) -> PackageError {
                PackageError(.mismatch, "file of \(size) bytes, \(file.size) in the manifest", at: name)
            }
            if let size = entry.size, size != file.size { throw mismatch(size) }
            var hasher = SHA256Hasher()
            var size: Int64 = 0
            while let data = try reader.next() {
                size += Int64(data.count)
                hasher.update(data)
            }
            guard size == file.size else { throw mismatch(size) }
            guard hasher.finalize() == file.sha256 else {
                throw PackageError(.digestMismatch, "the bytes do not have the manifest's SHA-256", at: name)
            }
            summary.files += 1
            summary.bytes += size
            summary.digests += 1
        }
        if let missing = expected.keys.min() {
            throw PackageError(
                .mismatch, "\(expected.count) files of the manifest are missing, the first of them",
                at: missing.description)
        }
        return summary
    }

    /// Checks the archive itself, and where its files lie.
    private func verify(_ archive: String, _ promised: PackageManifest.Archive, _ manifest: PackageManifest) throws {
        let file = try InputFile(path: archive)
        guard file.size == promised.size else {
            throw PackageError(
                .mismatch, "archive of \(file.size) bytes, \(promised.size) in the manifest", at: archive)
        }
        // Before the digest, for the better message where the archive is hopeless.
        let directory = try ZipValidator(limits: limits).validate(file)
        guard try file.sha256() == promised.sha256 else {
            throw PackageError(.digestMismatch, "the archive does not have the manifest's SHA-256", at: archive)
        }
        try manifest.checkSlices(against: directory)
    }
}
