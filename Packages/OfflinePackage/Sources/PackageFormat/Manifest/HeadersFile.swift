// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import SystemSupport
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The file `_headers` in the root of a site, with the response fields of its files, as static hosts read it.
///
/// A line without indentation is a pattern of paths; indented lines below it are `Name: value`. Empty lines, and lines
/// that begin with `#`, have no meaning. Patterns and fields that a package cannot have are left out with a warning.
@_spi(Packaging) public struct HeadersFile: Sendable {
    /// The name of the file.
    public static let name = "_headers"
    private static let maxBytes = 64 << 10

    /// The rules in the order of the file.
    public private(set) var rules: [ResponseFieldRule] = []
    /// The first 100 warnings in the order of the file, each one line that begins with the number of the line it is
    /// about.
    public private(set) var warnings: [String] = []
    /// The number of all warnings. It may exceed the number of those in ``warnings``.
    public private(set) var warningCount = 0
    private static let maxWarnings = 100

    /// Returns the first warnings, and a last line with the number of the others if there are more.
    /// - Parameter limit: the maximum number of warnings, at most 100.
    public func warnings(limit: Int) -> [String] {
        let shown = warnings.prefix(limit)
        let others = warningCount - shown.count
        return shown + (others > 0 ? ["\(others) more \(others == 1 ? "warning" : "warnings")"] : [])
    }

    /// Reads the file in the root of a folder, or returns `nil` if there is none.
    ///
    /// Blocks while it reads, and does not follow a link.
    /// - Throws: `PackageError` with code `specialFile` if it is a link or a device, or the errors of
    ///   ``init(_:at:)``.
    public static func read(inFolder folder: String) throws -> HeadersFile? {
        let location = "\(folder)/\(name)"
        do {
            switch try FileStatus(path: location, followsLinks: false).kind {
            case .file:
                let file = try InputFile(path: location)
                try check(size: file.size, at: location)
                return try HeadersFile(file.data(), at: location)
            case .directory: return nil
            case .symbolicLink, .other:
                throw PackageError(.specialFile, "the path is not a regular file", at: location)
            }
        } catch let error as SystemError {
            guard error.number != ENOENT, error.number != ENOTDIR else { return nil }
            throw PackageError(error)
        } catch let error as PackageError where error.code == .noInput {
            // The file was removed after its status was read.
            return nil
        }
    }

    /// Creates the rules from the bytes of the file.
    /// - Parameters:
    ///   - bytes: the bytes of the file, at most 64 KiB.
    ///   - location: the path of the file, for errors.
    /// - Throws: `PackageError` with code `tooLarge`, or with code `badManifest` and the number of the invalid line.
    public init(_ bytes: Data, at location: String) throws {
        try Self.check(size: Int64(bytes.count), at: location)
        guard let text = String(validUTF8: bytes) else {
            throw PackageError(.badManifest, "the file is not valid UTF-8", at: location)
        }
        try self.init(text, at: location)
    }

    /// Checks the number of bytes of the file before it is read.
    /// - Throws: `PackageError` with code `tooLarge`.
    private static func check(size: Int64, at location: String) throws {
        guard size <= maxBytes else {
            throw PackageError(.tooLarge, "the file has more than \(maxBytes) bytes", at: location)
        }
    }

    private init(_ text: String, at location: String) throws {
        var pattern: Pattern?
        var fields: [String: String] = [:]
        var number = 0
        func failing<Value>(at line: Int, _ body: () throws -> Value) throws -> Value {
            do {
                return try body()
            } catch let error as PackageError {
                throw PackageError(.badManifest, "line \(line): \(error.message)", at: location, cause: error)
            }
        }
        func refuse(_ reason: String) -> PackageError {
            PackageError(.badManifest, "line \(number): \(reason)", at: location)
        }
        var bytes = text.utf8[...]
        if bytes.starts(with: "\u{FEFF}".utf8) { bytes = bytes.dropFirst(3) }
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let content = Self.trimmed(line)
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            if content.startIndex == line.startIndex {
                if let pattern { try failing(at: pattern.line) { try append(pattern, fields) } }
                (pattern, fields) = (Pattern(text: String(Substring(content)), line: number), [:])
                try failing(at: number) { try checkPattern(&pattern) }
                continue
            }
            guard let pattern else { throw refuse("a field without a path before it") }
            // Some hosts detach a field of an earlier path with an exclamation mark.
            let colon = content.firstIndex(of: UInt8(ascii: ":")) ?? content.endIndex
            guard colon < content.endIndex || first == UInt8(ascii: "!") else {
                throw refuse("neither a path nor a field of the form Name: value")
            }
            guard pattern.isSupported else { continue }
            let rawName = String(Substring(Self.trimmed(content[..<colon])))
            let value = String(Substring(Self.trimmed(content[colon...].dropFirst())))
            guard let name = ResponseFieldRule.allowedName(rawName) else {
                warn(number, "a package cannot have the field \(rawName.printable(limit: 100)); left out")
                continue
            }
            if name == "Cache-Control", let error = Self.error({ try ResponseFieldRule.check(value, of: name) }) {
                warn(number, "\(error.message); left out, the app revalidates files")
                continue
            }
            // Hosts send other characters than ASCII; a manifest has no encoding for them.
            if value.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\t") }) {
                warn(number, "the value of \(name) has other characters than printable ASCII; left out")
                continue
            }
            try failing(at: number) {
                try ResponseFieldRule.check(value, of: name)
                let joined = fields[name].map { "\($0), \(value)" } ?? value
                try ResponseFieldRule.check(joined, of: name)
                fields[name] = joined
            }
        }
        if let pattern { try failing(at: pattern.line) { try append(pattern, fields) } }
    }

    /// A pattern of the file.
    private struct Pattern {
        let text: String
        /// The number of its line, from 1.
        let line: Int
        /// A Boolean value that indicates whether a package can have the pattern.
        var isSupported = true
    }

    /// Marks a pattern that is valid for hosts only, such as an absolute URL or one with placeholders, with a warning.
    /// - Throws: `PackageError` if the pattern is not valid for hosts either.
    private mutating func checkPattern(_ pattern: inout Pattern?) throws {
        guard let text = pattern?.text, let line = pattern?.line,
            let error = Self.error({ try ResponseFieldRule.check(pattern: text) })
        else { return }
        let isForHosts = ["/", "https://", "http://"].contains { text.utf8.starts(with: $0.utf8) }
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard isForHosts, !hasControl, text.utf8.count <= ResponseFieldRule.maxPatternBytes else { throw error }
        pattern?.isSupported = false
        warn(line, "\(error.message); the fields of \(text.printable(limit: 100)) are left out")
    }

    private mutating func warn(_ line: Int, _ problem: @autoclosure () -> String) {
        warningCount += 1
        // The file is read for each request of a preview, and could have thousands of warnings.
        if warnings.count < Self.maxWarnings { warnings.append("line \(line): \(problem())") }
    }

    private static func error(_ body: () throws -> Void) -> PackageError? {
        do { try body() } catch { return error as? PackageError }
        return nil
    }

    private mutating func append(_ pattern: Pattern, _ fields: [String: String]) throws {
        guard !fields.isEmpty else { return }
        rules.append(try ResponseFieldRule(path: pattern.text, fields: fields))
        try ResponseFieldRule.check(rules)
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
