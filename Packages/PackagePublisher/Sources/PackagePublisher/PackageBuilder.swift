// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
internal import Foundation
public import PackageFormat

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Builds a package from a built site: `ID-VERSION.zip`, and its manifest `ID-VERSION.json` beside it.
///
/// The same site gives the same bytes, whatever the clock and the machine are. Both files are written under temporary
/// names and take their names at the end, the manifest last; on an error neither is touched. A process that is killed
/// leaves temporary files, whose names begin with a dot and end in `.partial`; between the two renames it leaves the
/// new archive beside an earlier manifest, which names another archive's digest, so that the pair is refused.
public struct PackageBuilder: Sendable {
    /// What was built.
    public struct Result: Sendable, Hashable {
        /// Path of the zip.
        public var archive: String
        /// Path of the manifest.
        public var manifest: String
        /// How many files are in it.
        public var files: Int
        /// Bytes of all files.
        public var bytes: Int64
        /// Bytes of the zip.
        public var archiveBytes: Int64
        /// The digest of the zip.
        public var archiveSHA256: SHA256Digest
        /// Names that were skipped as hidden, relative to the site.
        public var skipped: [String]
    }

    /// How far a build has come.
    public struct Progress: Sendable, Hashable {
        /// Files that are packed.
        public var files: Int
        /// Files of the site when it was listed.
        public var totalFiles: Int
        /// Bytes that are packed, as they are in the site.
        public var bytes: Int64
        /// Bytes of the site when it was listed.
        public var totalBytes: Int64
    }

    /// What writes the zip. By default libarchive.
    public var writer: any ArchiveWriting
    /// Limits that the package must keep, so that readers take it.
    public var limits: ArchiveLimits
    /// What says of a file's name which media type the manifest gives it.
    public var mediaTypes: MediaTypes
    /// The encoding of text files that do not declare one. By default the manifest gives such a file a `charset` only if
    /// its bytes prove UTF-8; see `CharsetSniffer`.
    public var charset: CharacterEncoding?

    /// Each part has the default that is named above.
    public init(
        writer: any ArchiveWriting = LibarchiveZipWriter(), limits: ArchiveLimits = .default,
        mediaTypes: MediaTypes = MediaTypes(), charset: CharacterEncoding? = nil
    ) {
        self.writer = writer
        self.limits = limits
        self.mediaTypes = mediaTypes
        self.charset = charset
    }

    /// Packs the folder `site` into `output`, which is made where it is missing and must not lie inside of the site.
    ///
    /// Hidden files (a name that begins with a dot, `.well-known` aside; `Thumbs.db`, `desktop.ini`, `__MACOSX`) are
    /// skipped; links and devices are refused. An earlier package of the same name is replaced. Blocks while it works.
    /// - Parameters:
    ///   - site: the path of the folder to pack.
    ///   - id: the package's identifier, which both files are named by.
    ///   - version: the package's version, which both files are named by.
    ///   - baseURL: the URL that the files of the site lie under.
    ///   - isComplete: whether the site has nothing else under the base URL; see `PackageManifest.isComplete`.
    ///   - minHost: the least version of the host that the package works in; see `PackageManifest.minHost`.
    ///   - sequence: the number of the manifest, higher than those published before; see `PackageManifest.sequence`.
    ///   - output: the path of the folder to write both files to.
    ///   - progress: called often, on the calling thread.
    /// - Throws: `PackageError`, or `CancellationError` when the current task was cancelled.
    public func build(
        _ site: String, id: PackageID, version: PackageVersion, baseURL: PackageBaseURL, isComplete: Bool = false,
        minHost: PackageVersion? = nil, sequence: Int64? = nil, output: String, progress: (Progress) -> Void = { _ in }
    ) throws -> Result {
        var description = PackageManifest(
            id: id, version: version, baseURL: baseURL, isComplete: isComplete, minHost: minHost, sequence: sequence,
            files: [])
        // What needs no look at the files is found out before they are packed.
        try description.validate()
        let (files, skipped) = try SiteFolder(root: site, limits: limits).files()
        let folder = try OutputFolder(output, outside: site)
        let name = "\(id)-\(version)"
        let archive = folder.temporary(for: "\(name).zip")
        let manifest = folder.temporary(for: "\(name).json")
        do {
            let listed = try write(files, to: archive, progress: progress)
            // What the app would refuse is not handed out.
            let directory = try ZipValidator(limits: limits).validate(archive)
            let (digest, size) = try hash(archive)
            description.files = listed
            description = try description.locating(
                files: directory, in: PackageManifest.Archive(size: size, sha256: digest))
            try folder.write(description.encoded(), to: manifest)
            try Task.checkCancellation()
            let places = try folder.commit([(archive, "\(name).zip"), (manifest, "\(name).json")])
            return Result(
                archive: places[0], manifest: places[1], files: listed.count, bytes: directory.totalSize,
                archiveBytes: size, archiveSHA256: digest, skipped: skipped)
        } catch {
            folder.discard([archive, manifest])
            throw error
        }
    }

    private func write(
        _ files: [SiteFolder.File], to archive: String, progress: (Progress) -> Void
    ) throws -> [PackageManifest.File] {
        var listed: [PackageManifest.File] = []
        var state = Progress(
            files: 0, totalFiles: files.count, bytes: 0, totalBytes: files.reduce(0) { $0 + $1.size })
        var total: Int64 = 0
        try writer.write(to: archive) { writer in
            for file in files {
                let input = try SiteFile(file.location)
                let type = mediaTypes.type(of: file.path.description)
                total += input.size
                guard total <= limits.maxTotalBytes else {
                    throw PackageError(
                        .tooLarge, "the site has more than \(limits.maxTotalBytes) bytes", at: file.location)
                }
                let method: ZipMethod = input.size == 0 || mediaTypes.isCompressed(type) ? .stored : .deflated
                try writer.begin(file.path, size: input.size, method: method)
                var hasher = SHA256Hasher()
                var sniffer = CharsetSniffer(mediaType: type)
                while let data = try input.next() {
                    hasher.update(data)
                    sniffer?.append(data)
                    try writer.append(data)
                    state.bytes += Int64(data.count)
                    progress(state)
                }
                state.files += 1
                progress(state)
                listed.append(
                    PackageManifest.File(
                        path: file.path, size: input.size, sha256: hasher.finalize(),
                        mediaType: type + (sniffer?.parameter(undeclared: charset) ?? "")))
            }
        }
        return listed
    }

    private func hash(_ path: String) throws -> (SHA256Digest, Int64) {
        let file = try SiteFile(path)
        var hasher = SHA256Hasher()
        while let data = try file.next() { hasher.update(data) }
        return (hasher.finalize(), file.size)
    }
}
