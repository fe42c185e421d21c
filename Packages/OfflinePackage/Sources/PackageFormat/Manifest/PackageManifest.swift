// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import Foundation

/// The description of a package: its identifier, its base URL, and each file with size, digest and type.
///
/// JSON form: `{"archive"?: {"sha256", "size"}, "baseURL", "complete"?, "files": [{"method"?, "offset"?, "packed"?,
/// "path", "sha256", "size", "type"}], "format": 1, "headers"?: [{"fields": {name: value}, "path"}], "id", "minHost"?,
/// "sequence"?, "version"}`. `archive` and each
/// file's `method`, `offset` and `packed` are either all present or all absent. Unknown keys are ignored.
public struct PackageManifest: Encodable, Sendable, Hashable {
    /// The only supported format.
    public static let currentFormat = 1
    /// The valid values of ``sequence``, which every JSON reader represents exactly.
    public static let sequences: ClosedRange<Int64> = 1...(1 << 53 - 1)

    /// The format, which is always ``currentFormat``.
    public var format: Int
    /// The package's identifier, which is the same in all versions.
    public var id: PackageID
    /// The version of the package.
    public var version: PackageVersion
    /// The URL of the folder of the files.
    public var baseURL: PackageBaseURL
    /// A Boolean value that indicates whether the package contains all files below the base URL.
    ///
    /// If `true`, any other URL below the base URL causes no network request. The response is 404, or a redirect if the
    /// URL lacks the final slash of a folder. In JSON it is `"complete": true`; otherwise the member is absent.
    public var isComplete: Bool
    /// The minimum version of the host, or `nil` if the package works in every host.
    ///
    /// It consists of numbers separated by dots, each of at most nine digits. Versions are compared number by number,
    /// and a missing number is 0. In JSON it is `"minHost"`.
    public var minHost: PackageVersion?
    /// The sequence number of this manifest, or `nil` if the publisher does not number manifests.
    ///
    /// Each published manifest of a package has a higher number than those before. After a device has installed a
    /// numbered manifest, it rejects manifests with a lower number or without a number. In JSON it is `"sequence"`.
    public var sequence: Int64?
    /// The rules that add response header fields to files, in the order in which they apply. In JSON they are
    /// `"headers"`; without rules, the member is absent.
    public var fieldRules: [ResponseFieldRule]
    /// The zip that each file's `File.slice` refers to, or `nil` if the files have no slices.
    public var archive: Archive?
    /// The files, sorted by path. No two paths are equal on any file system.
    public var files: [File]

    /// Creates a manifest and sorts `files`. ``validate(limits:)`` and encoding check the other requirements.
    public init(
        id: PackageID, version: PackageVersion, baseURL: PackageBaseURL, isComplete: Bool = false,
        minHost: PackageVersion? = nil, sequence: Int64? = nil, fieldRules: [ResponseFieldRule] = [],
        archive: Archive? = nil, files: [File]
    ) {
        format = Self.currentFormat
        self.id = id
        self.version = version
        self.baseURL = baseURL
        self.isComplete = isComplete
        self.minHost = minHost
        self.sequence = sequence
        self.fieldRules = fieldRules
        self.archive = archive
        self.files = files.sorted { $0.path < $1.path }
    }

    /// Decodes a manifest: strict JSON in UTF-8 without duplicate names in an object. Files may be in any order.
    /// - Throws: ``PackageError`` with code `badManifest`, or `tooLarge` and `tooMany` if a limit is exceeded.
    public init(decoding data: Data, limits: ManifestLimits = .default) throws {
        guard data.count <= limits.maxBytes else {
            throw PackageError(.tooLarge, "the manifest has \(data.count) bytes, the limit is \(limits.maxBytes)")
        }
        self = try data.withUnsafeBytes { bytes in
            var reader = ManifestReader(bytes, maxFiles: limits.maxFiles)
            return try reader.read()
        }
        try validate(limits: limits)
    }

    /// Decodes the manifest at a path of the file system, if its size is within the limit. Blocks while it reads.
    /// - Throws: the errors of ``init(decoding:limits:)``, `noInput` and `io`.
    public init(path: String, limits: ManifestLimits = .default) throws {
        self = try Self.read(path, limits: limits).manifest
    }

    /// Returns the manifest at a path like ``init(path:limits:)``, together with its bytes.
    package static func read(_ path: String, limits: ManifestLimits) throws -> (manifest: Self, bytes: Data) {
        do {
            let bytes = try data(at: path, upTo: limits.maxBytes)
            return (try PackageManifest(decoding: bytes, limits: limits), bytes)
        } catch let error as PackageError where error.code == .notAnArchive {
            throw PackageError(.badManifest, error.message, at: path, cause: error)
        } catch let error as PackageError where error.location == nil {
            throw PackageError(error.code, error.message, at: path, cause: error)
        }
    }

    /// Returns the bytes of the manifest at a path of the file system. Blocks while it reads.
    /// - Throws: ``PackageError`` with code `tooLarge` if the file has more than `limit` bytes, `notAnArchive` if it is
    ///   not a regular file, `noInput`, `truncated` or `io`.
    package static func data(at path: String, upTo limit: Int) throws -> Data {
        let file = try InputFile(path: path)
        guard file.size <= Int64(limit) else {
            throw PackageError(.tooLarge, "the manifest has \(file.size) bytes, the limit is \(limit)", at: path)
        }
        return try file.data()
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
        if !fieldRules.isEmpty { try container.encode(fieldRules, forKey: .fieldRules) }
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
        case fieldRules = "headers"
        case archive
        case files
    }

    /// Checks the requirements that the types do not enforce: format, counts, sizes, media types, unique paths,
    /// response fields and slices.
    /// - Throws: ``PackageError``, as ``init(decoding:limits:)`` does.
    public func validate(limits: ManifestLimits = .default) throws {
        guard format == Self.currentFormat else {
            throw PackageError(.badManifest, "manifest of format \(format), known is \(Self.currentFormat)")
        }
        guard files.count <= limits.maxFiles else {
            throw PackageError(.tooMany, "the manifest lists \(files.count) files, the limit is \(limits.maxFiles)")
        }
        if let minHost, HostVersion(minHost.description) == nil {
            throw PackageError(.badManifest, "minHost: \(minHost) does not consist of numbers separated by dots")
        }
        if let sequence, !Self.sequences.contains(sequence) {
            throw PackageError(.badManifest, "sequence: \(sequence) is not within 1 to 2^53 - 1")
        }
        try ResponseFieldRule.check(fieldRules)
        var names = PathIndex()
        var total: Int64 = 0
        for file in files {
            try file.validate()
            do {
                try names.insert(file.path)
            } catch let error as PackageError {
                throw PackageError(.badManifest, error.message, at: error.location, cause: error)
            }
            guard total.add(file.size, upTo: limits.maxTotalBytes) else {
                throw PackageError(.tooLarge, "the files have more than \(limits.maxTotalBytes) bytes in total")
            }
        }
        try validateSlices(limits: limits)
    }

    /// Returns the manifest as JSON. Equal manifests give equal bytes.
    ///
    /// Keys and files are sorted, slashes are not escaped, there is no white space, and the text ends in a line feed.
    /// - Throws: ``PackageError`` with code `badManifest` if the manifest is not valid.
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
            throw PackageError(.badManifest, "the manifest cannot be encoded as JSON", cause: error)
        }
    }
}

extension PackageManifest {
    /// The zip that the files' slices refer to. The slices are not valid for any other archive.
    public struct Archive: Encodable, Sendable, Hashable {
        /// The number of bytes of the zip.
        public var size: Int64
        /// The digest of the zip.
        public var sha256: SHA256Digest

        private enum CodingKeys: String, CodingKey {
            case size, sha256
        }

        /// Creates the description of a zip.
        public init(size: Int64, sha256: SHA256Digest) {
            self.size = size
            self.sha256 = sha256
        }
    }
}
