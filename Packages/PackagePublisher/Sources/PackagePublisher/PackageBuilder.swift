// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
internal import Foundation
@_spi(Packaging) public import PackageFormat
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A builder that packs a built site into `ID-VERSION.zip` and its manifest `ID-VERSION.json`, or into files of another
/// name.
///
/// Equal sites give equal bytes with one version of zlib; the clock and the user have no influence. Both files are
/// written under temporary names and renamed at the end, the manifest last. On an error neither is changed. A killed
/// process leaves temporary files, whose names begin with a dot and end in `.partial`. If it is killed between the two
/// renames, the new archive and an earlier manifest remain. The earlier manifest has another archive digest, so readers
/// reject the pair.
public struct PackageBuilder: Sendable {
    /// The result of a build.
    public struct Result: Sendable, Hashable {
        /// The path of the zip.
        public var archive: String
        /// The path of the manifest.
        public var manifest: String
        /// The number of files in the package.
        public var files: Int
        /// The number of uncompressed bytes of all files.
        public var bytes: Int64
        /// The number of bytes of the zip.
        public var archiveBytes: Int64
        /// The digest of the zip.
        public var archiveSHA256: SHA256Digest
        /// The skipped files and folders, sorted by path.
        public var skipped: [SkippedFile]
        /// The warnings about the site, which do not prevent the package.
        public var warnings: [Warning]
    }

    /// A file, or a folder with everything in it, that is not in the package.
    public struct SkippedFile: Sendable, Hashable {
        /// The reason for which a file is skipped.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// A hidden file or a file of a system, such as `.env` or `Thumbs.db`.
            case hidden
            /// A source map, `NAME.map` beside `NAME`.
            case sourceMap
            /// A compressed copy, `NAME.br`, `NAME.gz` or `NAME.zst` beside `NAME`.
            case compressedCopy
            /// A file that an exclusion matches.
            case excluded
        }

        /// The path relative to the site.
        public var path: String
        /// The reason.
        public var reason: Reason
    }

    /// A warning about one file of the site.
    public struct Warning: Sendable, Hashable {
        /// The path relative to the site, or the pattern of an exclusion.
        public var path: String
        /// The problem, as one line.
        public var problem: String
    }

    /// The progress of a build.
    public struct Progress: Sendable, Hashable {
        /// The number of files that are packed.
        public var files: Int
        /// The number of files of the site when it was listed.
        public var totalFiles: Int
        /// The number of uncompressed bytes that are packed.
        public var bytes: Int64
        /// The number of bytes of the site when it was listed.
        public var totalBytes: Int64
    }

    /// The limits of the package, so that readers accept it.
    public var limits: ArchiveLimits
    /// The table of media types by file extension.
    public var mediaTypes: MediaTypes
    /// The encoding of text files that do not declare one, or `nil` if it is not known.
    ///
    /// If `nil`, the manifest gives such a file a `charset` only if its bytes prove UTF-8; see `CharsetSniffer`.
    public var charset: CharacterEncoding?
    /// The patterns of the files and folders that are not packed.
    public var exclusions: [SiteGlob]

    /// Creates a builder.
    public init(
        limits: ArchiveLimits = .default, mediaTypes: MediaTypes = MediaTypes(), charset: CharacterEncoding? = nil,
        exclusions: [SiteGlob] = []
    ) {
        self.limits = limits
        self.mediaTypes = mediaTypes
        self.charset = charset
        self.exclusions = exclusions
    }

    /// Packs the folder `site` into `output`, which is created if it does not exist and must not lie inside the site.
    ///
    /// Hidden files (a name that begins with a dot, except `.well-known`) and `Thumbs.db`, `desktop.ini` and
    /// `__MACOSX` are skipped. Links and devices are errors. An earlier package with the same name is replaced.
    /// Blocks while it works.
    /// - Parameters:
    ///   - site: the path of the folder to pack.
    ///   - id: the package's identifier.
    ///   - version: the package's version.
    ///   - baseURL: the URL of the folder of the site's files.
    ///   - isComplete: whether the site has no other files below the base URL; see `PackageManifest.isComplete`.
    ///   - minHost: the minimum version of the host; see `PackageManifest.minHost`.
    ///   - sequence: the number of the manifest, higher than those published before; see `PackageManifest.sequence`.
    ///   - output: the path of the folder to write both files to.
    ///   - name: the name of both files without extension; `nil`, the default, for `ID-VERSION`.
    ///   - progress: a closure that is called after each piece and each file, on the calling thread.
    /// - Throws: `PackageError`, or `CancellationError` if the current task is cancelled.
    public func build(
        _ site: String, id: PackageID, version: PackageVersion, baseURL: PackageBaseURL, isComplete: Bool = false,
        minHost: PackageVersion? = nil, sequence: Int64? = nil, output: String, name: PackageID? = nil,
        progress: (Progress) -> Void = { _ in }
    ) throws -> Result {
        var description = PackageManifest(
            id: id, version: version, baseURL: baseURL, isComplete: isComplete, minHost: minHost, sequence: sequence,
            files: [])
        // The description is validated before the files are packed.
        try description.validate()
        let listing = try SiteFolder(root: site, limits: limits, exclusions: exclusions).list()
        let headers = listing.hasHeaders ? try headersFile(of: site) : nil
        description.fieldRules = headers?.rules ?? []
        let folder = try OutputFolder(output, outside: site)
        let name = name?.description ?? "\(id)-\(version)"
        let archive = folder.temporary(for: "\(name).zip")
        let manifest = folder.temporary(for: "\(name).json")
        do {
            let listed = try write(listing.files, to: archive, progress: progress)
            // The archive must pass the validation that the app performs.
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
                archiveBytes: size, archiveSHA256: digest, skipped: listing.skipped,
                warnings: warnings(listing) + warnings(headers, files: listing.files))
        } catch {
            folder.discard([archive, manifest])
            throw error
        }
    }

    private func headersFile(of site: String) throws -> HeadersFile {
        guard let file = try HeadersFile.read(inFolder: site) else {
            throw PackageError(.noInput, "the file was removed during the build", at: "\(site)/\(HeadersFile.name)")
        }
        return file
    }

    private func warnings(_ listing: SiteFolder.Listing) -> [Warning] {
        let unused = listing.unused.map { Warning(path: $0.description, problem: "the exclusion matches nothing") }
        let names = listing.files.compactMap { file in
            PortableName.problem(of: file.path).map { Warning(path: file.path.description, problem: $0) }
        }
        return unused + names
    }

    private func warnings(_ headers: HeadersFile?, files: [SiteFolder.File]) -> [Warning] {
        guard let headers else { return [] }
        let unused = headers.rules.unused(by: files.lazy.map(\.path.description))
        let problems =
            headers.warnings(limit: 100) + unused.map { "the path \($0.path.printable(limit: 100)) matches no file" }
        return problems.map { Warning(path: HeadersFile.name, problem: $0) }
    }

    private func write(
        _ files: [SiteFolder.File], to archive: String, progress: (Progress) -> Void
    ) throws -> [PackageManifest.File] {
        var listed: [PackageManifest.File] = []
        var state = Progress(
            files: 0, totalFiles: files.count, bytes: 0, totalBytes: files.reduce(0) { $0 + $1.size })
        var total: Int64 = 0
        try ZipWriter().write(to: archive) { writer in
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
