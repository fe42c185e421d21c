// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An unpacker that writes all files of an archive into a folder, or none.
///
/// Files are written into a temporary folder next to the target, which is renamed at the end. On an error the temporary
/// folder is removed and the target is unchanged. A killed process leaves at most the temporary folder. Its name begins
/// with a dot and the target's name, and ends in `.partial`.
///
/// Other users may be able to write to the parent folder. If they replace a folder during unpacking, the replacement
/// is neither filled nor emptied, and unpacking fails.
public struct Unpacker: Sendable {
    /// The reader of the archive.
    private let reader: any ArchiveReading
    /// The limits of the archive.
    public var limits: ArchiveLimits
    /// A Boolean value that indicates whether the content is synced to disk before the rename, and the parent folder
    /// after it.
    ///
    /// Linux uses one `syncfs`; other systems use one `fsync` for each file. If `false`, the target may contain files
    /// without their bytes after a power loss.
    public var isDurable: Bool

    /// Creates an unpacker.
    public init(limits: ArchiveLimits = .default, isDurable: Bool = true) {
        self.init(reader: ArchiveReader(), limits: limits, isDurable: isDurable)
    }

    /// Creates an unpacker with another reader of the archive.
    package init(reader: any ArchiveReading, limits: ArchiveLimits = .default, isDurable: Bool = true) {
        self.reader = reader
        self.limits = limits
        self.isDurable = isDurable
    }

    /// Unpacks `archive` into `directory`, which must be empty or absent. Creates missing parent folders.
    ///
    /// Blocks while it works. Files have mode 0644 and folders 0755, without the bits of the process's umask. The times
    /// of files are the times of unpacking.
    /// - Returns: the number of files and the number of bytes of all files.
    /// - Throws: ``PackageError``, with code `occupied` if the target is not an empty folder, or `unsupported` for a
    ///   tar without the trait `Packaging`; or `CancellationError` if the current task is cancelled.
    public func unpack(_ archive: String, into directory: String) throws -> (files: Int, bytes: Int64) {
        // The archive is checked first, so that a missing or invalid one does not create a folder.
        _ = try ArchiveKind(of: InputFile(path: archive))
        let target = try UnpackTarget(directory)
        do {
            let summary = try fill(target, from: archive)
            if isDurable { try target.syncContent() }
            try Task.checkCancellation()
            try target.commit(durable: isDurable)
            return summary
        } catch {
            target.discard(depth: limits.maxDepth)
            throw error
        }
    }

    private func fill(_ target: UnpackTarget, from archive: String) throws -> (files: Int, bytes: Int64) {
        var summary: (files: Int, bytes: Int64) = (0, 0)
        try reader.read(archive, limits: limits) { entry, reader in
            let file = try target.makeFile(entry.path)
            while let data = try reader.next() {
                try file.write(data)
                summary.bytes += Int64(data.count)
            }
            try file.finish(sync: isDurable && !UnpackTarget.syncsAsWhole)
            summary.files += 1
        }
        return summary
    }
}
