// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// A verifier that reads an archive completely and checks it, optionally against a manifest.
public struct PackageVerifier: Sendable {
    /// The reader of the archive.
    private let reader: any ArchiveReading
    /// The limits of the archive.
    public var limits: ArchiveLimits
    /// The encoding of names of a zip that are neither ASCII nor marked as UTF-8, or `nil` to refuse such names.
    private let names: ZipNameEncoding?

    /// Creates a verifier.
    public init(limits: ArchiveLimits = .default) {
        self.init(reader: ArchiveReader(), limits: limits)
    }

    /// Creates a verifier with another reader of the archive.
    package init(reader: any ArchiveReading, limits: ArchiveLimits = .default, names: ZipNameEncoding? = nil) {
        self.reader = reader
        self.limits = limits
        self.names = names
    }

    /// Checks the archive's structure and, if present, its checksums.
    /// - Returns: the number of files and the number of uncompressed bytes of all files.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    public func verify(_ archive: String) throws -> (files: Int, bytes: Int64) {
        var summary: (files: Int, bytes: Int64) = (0, 0)
        try reader.read(archive, limits: limits) { entry, reader in
            while let data = try reader.next() { summary.bytes += Int64(data.count) }
            summary.files += 1
        }
        return summary
    }

    /// Checks the archive's structure, and the path, size and digest of each file. No file may be missing or extra.
    ///
    /// If the manifest names its archive, the size and digest of the archive and the position of each file are
    /// checked first.
    /// - Returns: the number of files and the number of uncompressed bytes of all files.
    /// - Throws: ``PackageError``, with code `mismatch` or `digestMismatch` if archive and manifest disagree; or
    ///   `CancellationError` if the current task is cancelled.
    public func verify(_ archive: String, against manifest: PackageManifest) throws -> (files: Int, bytes: Int64) {
        try manifest.validate(limits: .unbounded)
        if let promised = manifest.archive { try verify(archive, promised, manifest) }
        var expected = Dictionary(uniqueKeysWithValues: manifest.files.map { ($0.path, $0) })
        var summary: (files: Int, bytes: Int64) = (0, 0)
        try reader.read(archive, limits: limits) { entry, reader in
            let name = entry.path.description
            guard let file = expected.removeValue(forKey: entry.path) else {
                throw PackageError(.mismatch, "the manifest does not list the file", at: name)
            }
            func mismatch(_ size: Int64) -> PackageError {
                PackageError(.mismatch, "the file has \(size) bytes, the manifest declares \(file.size)", at: name)
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
                throw PackageError(.digestMismatch, "the SHA-256 of the file differs from the manifest", at: name)
            }
            summary.files += 1
            summary.bytes += size
        }
        if let missing = expected.keys.min() {
            throw PackageError(
                .mismatch, "\(expected.count) files of the manifest are missing, the first is",
                at: missing.description)
        }
        return summary
    }

    /// Checks the archive itself and the positions of its files.
    private func verify(_ archive: String, _ promised: PackageManifest.Archive, _ manifest: PackageManifest) throws {
        let file = try InputFile(path: archive)
        guard file.size == promised.size else {
            throw PackageError(
                .mismatch, "the archive has \(file.size) bytes, the manifest declares \(promised.size)", at: archive)
        }
        // The structure is validated before the digest, because its errors are more specific.
        let directory = try ZipValidator(limits: limits, names: names).validate(file)
        guard try file.sha256() == promised.sha256 else {
            throw PackageError(.digestMismatch, "the SHA-256 of the archive differs from the manifest", at: archive)
        }
        try manifest.checkSlices(against: directory)
    }
}
