// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// What a package holds: its name, the URL it stands under, and each file with size, digest and type.
///
/// As JSON: `{"archive"?: {"sha256", "size"}, "baseURL", "complete"?, "files": [{"method"?, "offset"?, "packed"?, "path",
/// "sha256", "size", "type"}], "format": 1, "id", "minHost"?, "sequence"?, "version"}`. Either `archive` and each file's `method`,
/// `offset` and `packed` are there, or none of them. Keys that are not known are ignored.
public struct PackageManifest: Encodable, Sendable, Hashable {
    /// The only format so far.
    public static let currentFormat = 1
    /// The numbers that ``sequence`` may have, which every reader of JSON takes as they are.
    public static let sequences: ClosedRange<Int64> = 1...(1 << 53 - 1)

    /// Which format this is: ``currentFormat``.
    public var format: Int
    /// The package's name, the same in all versions.
    public var id: PackageID
    /// Which version of it this is.
    public var version: PackageVersion
    /// What the files stand under.
    public var baseURL: PackageBaseURL
    /// Whether these files are all there is under the base URL, so that anything else there is answered as not found
    /// without asking the network. JSON has `"complete": true` for it; it is absent otherwise.
    public var isComplete: Bool
    /// The least version of the host that the package works in: numbers between dots, each of at most nine digits,
    /// compared number by number, where a missing one is 0. JSON has `"minHost"` for it; it is absent where any will do.
    public var minHost: PackageVersion?
    /// The number of this manifest among those of its package: each that is published has a higher one than those before.
    /// A device that has installed one with a number takes neither one with a lower number nor one without. JSON has
    /// `"sequence"` for it; it is absent if the publisher does not count.
    public var sequence: Int64?
    /// The zip that holds the files, and which each file's ``File/slice`` points into.
    public var archive: Archive?
    /// Sorted by path; no two that some file system could take for the same.
    public var files: [File]

    /// Sorts `files`; what else must hold of them is checked by ``validate(limits:)`` and when encoding.
    public init(
        id: PackageID, version: PackageVersion, baseURL: PackageBaseURL, isComplete: Bool = false,
        minHost: PackageVersion? = nil, sequence: Int64? = nil, archive: Archive? = nil, files: [File]
    ) {
        format = Self.currentFormat
        self.id = id
        self.version = version
        self.baseURL = baseURL
        self.isComplete = isComplete
        self.minHost = minHost
        self.sequence = sequence
        self.archive = archive
        self.files = files.sorted { $0.path < $1.path }
    }

    /// Reads a manifest: strict JSON in UTF-8, no name twice in an object. Files may come in any order.
    /// - Throws: ``PackageError`` with code `badManifest`, or
    ///   `tooLarge` and `tooMany` for the limits.
    public init(decoding data: Data, limits: ManifestLimits = .default) throws {
        guard data.count <= limits.maxBytes else {
            throw PackageError(.tooLarge, "manifest of \(data.count) bytes, limit \(limits.maxBytes)")
        }
        self = try data.withUnsafeBytes { bytes in
            var reader = ManifestReader(bytes, maxFiles: limits.maxFiles)
            return try reader.read()
        }
        try validate(limits: limits)
    }

    /// Reads the manifest at a path of the file system, and no more of it than the limit allows. Blocks while it reads.
    /// - Throws: as ``init(decoding:limits:)`` does, `noInput` and
    ///   `io`.
    public init(path: String, limits: ManifestLimits = .default) throws {
        do {
            let file = try InputFile(path: path)
            guard file.size <= Int64(limits.maxBytes) else {
                throw PackageError(.tooLarge, "manifest of \(file.size) bytes, limit \(limits.maxBytes)")
            }
            try self.init(decoding: file.data(), limits: limits)
        } catch let error as PackageError where error.code == .notAnArchive {
            throw PackageError(.badManifest, error.message, at: path, cause: error)
        } catch let error as PackageError where error.location == nil {
            throw PackageError(error.code, error.message, at: path, cause: error)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format, forKey: .format)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(baseURL, forKey: .baseURL)
        if isComplete { try container.encode(true, forKey: .isComplete) }
        try container.encodeIfPresent(minHost, forKey: .minHost)
        try container.encodeIfPresent(sequence, forKey: .sequence)
        try container.encodeIfPresent(archive, forKey: .archive)
        try container.encode(files, forKey: .files)
    }

    private enum CodingKeys: String, CodingKey {
        case format
        case id
        case version
        case baseURL
        case isComplete = "complete"
        case minHost
        case sequence
        case archive
        case files
    }

    /// Checks what the types do not: format, counts, sizes, media types, unique paths and slices.
    /// - Throws: ``PackageError``, as ``init(decoding:limits:)`` does.
    public func validate(limits: ManifestLimits = .default) throws {
        guard format == Self.currentFormat else {
            throw PackageError(.badManifest, "manifest of format \(format), known is \(Self.currentFormat)")
        }
        guard files.count <= limits.maxFiles else {
            throw PackageError(.tooMany, "manifest of \(files.count) files, limit \(limits.maxFiles)")
        }
        if let minHost, HostVersion(minHost.description) == nil {
            throw PackageError(.badManifest, "minHost: \(minHost) is not numbers between dots")
        }
        if let sequence, !Self.sequences.contains(sequence) {
            throw PackageError(.badManifest, "sequence: \(sequence) is not within 1 to 2^53 - 1")
        }
        var names = PathIndex()
        var total: Int64 = 0
        for file in files {
            try file.validate()
            do {
                try names.insert(file.path)
            } catch let error as PackageError {
                throw PackageError(.badManifest, error.message, at: error.location, cause: error)
            }
            let (sum, overflow) = total.addingReportingOverflow(file.size)
            guard !overflow, sum <= limits.maxTotalBytes else {
                throw PackageError(.tooLarge, "files of more than \(limits.maxTotalBytes) bytes in the manifest")
            }
            total = sum
        }
        try validateSlices(limits: limits)
    }

    /// The manifest as JSON. Equal manifests give equal bytes: keys and files are sorted, slashes are not
    /// escaped, there are no blanks, and one line feed ends it.
    /// - Throws: ``PackageError`` with code `badManifest` where the content is wrong.
    public func encoded() throws -> Data {
        var sorted = self
        sorted.files.sort { $0.path < $1.path }
        try sorted.validate(limits: .unbounded)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            var data = try encoder.encode(sorted)
            data.append(UInt8(ascii: "\n"))
            return data
        } catch {
            throw PackageError(.badManifest, "cannot be written as JSON", cause: error)
        }
    }
}

extension PackageManifest {
    /// The zip that the files' slices refer to. A slice means nothing in any other archive.
    public struct Archive: Encodable, Sendable, Hashable {
        /// Bytes of the zip.
        public var size: Int64
        /// The digest of the zip's bytes.
        public var sha256: SHA256Digest

        private enum CodingKeys: String, CodingKey {
            case size, sha256
        }

        public init(size: Int64, sha256: SHA256Digest) {
            self.size = size
            self.sha256 = sha256
        }
    }
}
