// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Unpacks an archive into a folder: all of it, or nothing.
///
/// Files are written into a temporary folder beside the target, which takes the target's name at the end. On any error
/// the temporary folder is removed and the target is as it was. A process that is killed leaves at most the
/// temporary folder, whose name begins with a dot and the target's name and ends in `.partial`.
///
/// Others may be able to write to the folder above the target. What they exchange there while it works is never filled or
/// emptied: the unpacking fails.
public struct Unpacker: Sendable {
    /// What was unpacked.
    public struct Summary: Sendable, Hashable {
        public var files: Int
        /// Bytes of all files.
        public var bytes: Int64
    }

    public var reader: any ArchiveReading
    public var limits: ArchiveLimits
    /// A Boolean value that indicates whether bytes are forced to the disk: everything before the target takes its name,
    /// then the name itself. One `syncfs` on Linux, one `fsync` for each file elsewhere. If `false`, the target may hold
    /// files without their bytes after a power cut.
    public var isDurable: Bool

    public init(
        reader: any ArchiveReading = LibarchiveReader(), limits: ArchiveLimits = .default,
        isDurable: Bool = true
    ) {
        self.reader = reader
        self.limits = limits
        self.isDurable = isDurable
    }

    /// Unpacks `archive` into `directory`, which must be empty or absent; missing folders above it are made.
    ///
    /// Blocks while it works. Files get mode 0644 and folders 0755, less the process's mask; times are those of
    /// the unpacking.
    /// - Throws: ``PackageError``, with code `occupied` where the target is not an
    ///   empty folder; or `CancellationError` when the current task was cancelled.
    public func unpack(_ archive: String, into directory: String) throws -> Summary {
        // A missing or hopeless archive should not even make a folder.
        _ = try ArchiveKind(of: InputFile(path: archive))
        let target = try UnpackTarget(directory)
        do {
            let summary = try fill(target, from: archive)
            if isDurable { try target.syncContent() }
            try Task.checkCancellation()
            try target.commit(durable: isDurable)
            return summary
        } catch {
            target.discard()
            throw error
        }
    }

    private func fill(_ target: UnpackTarget, from archive: String) throws -> Summary {
        var summary = Summary(files: 0, bytes: 0)
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
