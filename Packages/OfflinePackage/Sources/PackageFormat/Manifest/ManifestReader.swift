// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import StrictJSON

/// A streaming reader of a manifest. Unknown members are skipped, so they use no memory.
struct ManifestReader {
    /// The maximum number of bytes of a string value. Paths and URLs have lower limits.
    private static let maxTextLength = 8_192
    private let bytes: UnsafeRawBufferPointer
    private let maxFiles: Int
    /// A Boolean value that indicates whether the whole text was read.
    private var isAtEnd = false
    /// The media types that were read before, so that files share their strings.
    private var mediaTypes: [String: String] = [:]

    /// Creates a reader.
    /// - Parameters:
    ///   - bytes: bytes that stay valid while the reader is used.
    ///   - maxFiles: the maximum number of files.
    init(_ bytes: UnsafeRawBufferPointer, maxFiles: Int) {
        self.bytes = bytes
        self.maxFiles = maxFiles
    }

    /// Reads the manifest without validating its content.
    /// - Throws: ``PackageError`` with code `badManifest` or `tooMany`.
    mutating func read() throws -> PackageManifest {
        do {
            return try readManifest()
        } catch {
            // A later format may have any content before its `format` member.
            if !isAtEnd, let format = try? readFormat(), format != PackageManifest.currentFormat {
                throw Self.unknownFormat(format)
            }
            throw Self.refusal(error)
        }
    }

    private static func unknownFormat(_ format: Int64) -> PackageError {
        PackageError(
            .badManifest, "manifest of format \(format), known is \(PackageManifest.currentFormat)")
    }

    private static func refusal(_ error: any Error) -> PackageError {
        switch error {
        case let error as PackageError where [.badManifest, .tooMany].contains(error.code): error
        case let error as PackageError:
            PackageError(.badManifest, error.message, at: error.location, cause: error)
        case let error as JSONError:
            PackageError(
                .badManifest, error.code == .malformed ? "invalid JSON: \(error)" : "\(error)", cause: error)
        default: PackageError(.badManifest, String(describing: error), cause: error)
        }
    }

    private func readFormat() throws -> Int64? {
        var format: Int64?
        var scanner = JSONScanner(bytes)
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "format") {
                format = try Self.integer(&scanner, ".format")
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        return format
    }

    // MARK: Objects

    private mutating func readManifest() throws -> PackageManifest {
        var format: Int64?
        var id: PackageID?
        var version: PackageVersion?
        var baseURL: PackageBaseURL?
        var isComplete: Bool?
        var minHost: PackageVersion?
        var sequence: Int64?
        var fieldRules: [ResponseFieldRule]?
        var archive: PackageManifest.Archive?
        var files: [PackageManifest.File]?
        var scanner = JSONScanner(bytes)
        guard scanner.nextToken() == UInt8(ascii: "{") else {
            try scanner.skipValue()
            try scanner.finish()
            throw PackageError(.badManifest, "wrong type at .")
        }
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "files") {
                files = try readFiles(&scanner)
            } else if scanner.equals(name, "format") {
                format = try Self.integer(&scanner, ".format")
            } else if scanner.equals(name, "id") {
                id = try PackageID(Self.text(&scanner, ".id"))
            } else if scanner.equals(name, "version") {
                version = try PackageVersion(Self.text(&scanner, ".version"))
            } else if scanner.equals(name, "baseURL") {
                baseURL = try PackageBaseURL(Self.text(&scanner, ".baseURL"))
            } else if scanner.equals(name, "complete") {
                isComplete = try Self.optional(&scanner) { try Self.bool(&$0, ".complete") }
            } else if scanner.equals(name, "minHost") {
                minHost = try Self.optional(&scanner) { try PackageVersion(Self.text(&$0, ".minHost")) }
            } else if scanner.equals(name, "sequence") {
                sequence = try Self.optional(&scanner) { try Self.integer(&$0, ".sequence") }
            } else if scanner.equals(name, "headers") {
                fieldRules = try Self.optional(&scanner) { try Self.fieldRules(&$0) }
            } else if scanner.equals(name, "archive") {
                archive = try Self.optional(&scanner) { try Self.archive(&$0) }
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        isAtEnd = true
        let known = try Self.needed(format, ".format")
        guard known == PackageManifest.currentFormat else { throw Self.unknownFormat(known) }
        return try PackageManifest(
            id: Self.needed(id, ".id"), version: Self.needed(version, ".version"),
            baseURL: Self.needed(baseURL, ".baseURL"), isComplete: isComplete ?? false, minHost: minHost,
            sequence: sequence, fieldRules: fieldRules ?? [], archive: archive, files: Self.needed(files, ".files"))
    }

    private static func archive(_ scanner: inout JSONScanner) throws -> PackageManifest.Archive {
        try expect(UInt8(ascii: "{"), &scanner, ".archive")
        var size: Int64?
        var sha256: SHA256Digest?
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "size") {
                size = try integer(&scanner, ".archive.size")
            } else if scanner.equals(name, "sha256") {
                sha256 = try digest(&scanner, ".archive.sha256")
            } else {
                try scanner.skipValue()
            }
        }
        return try PackageManifest.Archive(
            size: needed(size, ".archive.size"), sha256: needed(sha256, ".archive.sha256"))
    }

    private static func fieldRules(_ scanner: inout JSONScanner) throws -> [ResponseFieldRule] {
        try expect(UInt8(ascii: "["), &scanner, ".headers")
        var rules: [ResponseFieldRule] = []
        try scanner.readArray { scanner in
            guard rules.count < ResponseFieldRule.maxRules else {
                throw PackageError(.badManifest, "more than \(ResponseFieldRule.maxRules) values at .headers")
            }
            rules.append(try fieldRule(&scanner, ".headers[\(rules.count)]"))
        }
        return rules
    }

    private static func fieldRule(_ scanner: inout JSONScanner, _ place: String) throws -> ResponseFieldRule {
        try expect(UInt8(ascii: "{"), &scanner, place)
        var path: String?
        var fields: [String: String]?
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "path") {
                path = try text(&scanner, "\(place).path")
            } else if scanner.equals(name, "fields") {
                try expect(UInt8(ascii: "{"), &scanner, "\(place).fields")
                var values: [String: String] = [:]
                try scanner.readObject { scanner, name in
                    guard values.count < ResponseFieldRule.allowedFields.count else {
                        throw PackageError(.badManifest, "too many values at \(place).fields")
                    }
                    values[scanner.string(name)] = try text(&scanner, "\(place).fields")
                }
                fields = values
            } else {
                try scanner.skipValue()
            }
        }
        return try ResponseFieldRule(
            path: needed(path, "\(place).path"), fields: needed(fields, "\(place).fields"))
    }

    private mutating func readFiles(_ scanner: inout JSONScanner) throws -> [PackageManifest.File] {
        try Self.expect(UInt8(ascii: "["), &scanner, ".files")
        var files: [PackageManifest.File] = []
        try scanner.readArray { scanner in
            guard files.count < maxFiles else {
                throw PackageError(.tooMany, "the manifest lists more than \(maxFiles) files")
            }
            files.append(try readFile(&scanner, files.count))
        }
        return files
    }

    private mutating func readFile(_ scanner: inout JSONScanner, _ index: Int) throws -> PackageManifest.File {
        func place(_ name: String) -> String { ".files[\(index)]\(name)" }
        try Self.expect(UInt8(ascii: "{"), &scanner, place(""))
        var path: ArchivePath?
        var size: Int64?
        var sha256: SHA256Digest?
        var type: String?
        var offset: Int64?
        var packed: Int64?
        var method: ArchiveSlice.Method?
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "path") {
                path = try ArchivePath(Self.text(&scanner, place(".path")))
            } else if scanner.equals(name, "size") {
                size = try Self.integer(&scanner, place(".size"))
            } else if scanner.equals(name, "sha256") {
                sha256 = try Self.digest(&scanner, place(".sha256"))
            } else if scanner.equals(name, "type") {
                type = shared(try Self.text(&scanner, place(".type")))
            } else if scanner.equals(name, "offset") {
                offset = try Self.optional(&scanner) { try Self.integer(&$0, place(".offset")) }
            } else if scanner.equals(name, "packed") {
                packed = try Self.optional(&scanner) { try Self.integer(&$0, place(".packed")) }
            } else if scanner.equals(name, "method") {
                method = try Self.optional(&scanner) { scanner in
                    let text = try Self.text(&scanner, place(".method"))
                    guard let method = ArchiveSlice.Method(rawValue: text) else {
                        throw PackageError(.badManifest, "invalid value at \(place(".method"))")
                    }
                    return method
                }
            } else {
                try scanner.skipValue()
            }
        }
        let file = try PackageManifest.File(
            path: Self.needed(path, place(".path")), size: Self.needed(size, place(".size")),
            sha256: Self.needed(sha256, place(".sha256")), mediaType: Self.needed(type, place(".type")))
        switch (offset, packed, method) {
        case (nil, nil, nil): return file
        case (let offset?, let packed?, let method?):
            var located = file
            located.slice = ArchiveSlice(offset: offset, size: packed, method: method)
            return located
        default:
            throw PackageError(
                .badManifest, "offset, packed and method must be all present or all absent", at: file.path.description)
        }
    }

    private mutating func shared(_ type: String) -> String {
        if let known = mediaTypes[type] { return known }
        if mediaTypes.count < 100 { mediaTypes[type] = type }
        return type
    }

    // MARK: Values

    private static func needed<Value>(_ value: Value?, _ place: @autoclosure () -> String) throws -> Value {
        guard let value else { throw PackageError(.badManifest, "missing value at \(place())") }
        return value
    }

    /// Reads a value, or returns `nil` for `null`.
    private static func optional<Value>(
        _ scanner: inout JSONScanner, _ read: (inout JSONScanner) throws -> Value
    ) throws -> Value? {
        try scanner.readNull() ? nil : read(&scanner)
    }

    /// Checks the first byte of a value.
    private static func expect(
        _ token: UInt8, _ scanner: inout JSONScanner, _ place: @autoclosure () -> String
    ) throws {
        guard scanner.nextToken() == token else {
            throw PackageError(.badManifest, "wrong type at \(place())")
        }
    }

    private static func text(_ scanner: inout JSONScanner, _ place: @autoclosure () -> String) throws -> String {
        try expect(UInt8(ascii: "\""), &scanner, place())
        let text = try scanner.readString()
        guard text.range.count <= maxTextLength else {
            throw PackageError(.badManifest, "string of more than \(maxTextLength) bytes at \(place())")
        }
        return scanner.string(text)
    }

    private static func digest(_ scanner: inout JSONScanner, _ place: @autoclosure () -> String) throws -> SHA256Digest
    {
        guard let digest = SHA256Digest(hex: try text(&scanner, place())) else {
            throw PackageError(.badManifest, "not a SHA-256 at \(place())")
        }
        return digest
    }

    private static func integer(_ scanner: inout JSONScanner, _ place: @autoclosure () -> String) throws -> Int64 {
        guard scanner.isAtNumber() else { throw PackageError(.badManifest, "wrong type at \(place())") }
        guard let text = try scanner.readInteger(), let value = scanner.integer(text) else {
            throw PackageError(.badManifest, "not a 64-bit integer at \(place())")
        }
        return value
    }

    private static func bool(_ scanner: inout JSONScanner, _ place: @autoclosure () -> String) throws -> Bool {
        guard let value = try scanner.readBool() else {
            throw PackageError(.badManifest, "wrong type at \(place())")
        }
        return value
    }
}

/// The limits that a manifest must not exceed.
public struct ManifestLimits: Sendable, Hashable {
    /// The maximum number of bytes of JSON. Default: 32 MiB.
    public var maxBytes: Int
    /// The maximum number of files. Default: 100,000.
    public var maxFiles: Int
    /// The maximum number of bytes of all files together. Default: 1 GiB.
    public var maxTotalBytes: Int64
    /// The maximum number of bytes of the archive. Default: 1 GiB.
    public var maxArchiveBytes: Int64
    /// The maximum number of bytes that one byte of the archive may unpack to, in any file. Default: 200, as for
    /// archives.
    public var maxRatio: Int
    /// The number of bytes of a file up to which ``maxRatio`` does not apply. Default: 1 MiB.
    public var ratioFloor: Int64

    /// Creates limits.
    public init(
        maxBytes: Int = 32 << 20, maxFiles: Int = 100_000, maxTotalBytes: Int64 = 1 << 30,
        maxArchiveBytes: Int64 = 1 << 30, maxRatio: Int = 200, ratioFloor: Int64 = 1 << 20
    ) {
        self.maxBytes = maxBytes
        self.maxFiles = maxFiles
        self.maxTotalBytes = maxTotalBytes
        self.maxArchiveBytes = maxArchiveBytes
        self.maxRatio = maxRatio
        self.ratioFloor = ratioFloor
    }

    /// The default limits.
    public static let `default` = ManifestLimits()

    /// Limits for a manifest that was checked before, or that was created in memory.
    static let unbounded = ManifestLimits(
        maxBytes: .max, maxFiles: .max, maxTotalBytes: .max, maxArchiveBytes: .max, maxRatio: .max, ratioFloor: .max)
}
