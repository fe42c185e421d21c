// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

/// The file `_headers` in the root of a site, with the response fields of its files, as static hosts read it.
///
/// A line without indentation is a pattern of paths; indented lines below it are `Name: value`. Empty lines, and lines
/// that begin with `#`, have no meaning. Patterns and fields that a package cannot have are left out with a warning.
struct HeadersFile {
    static let name = "_headers"
    private static let maxBytes = 64 << 10

    /// The rules in the order of the file.
    private(set) var rules: [ResponseFieldRule] = []
    private(set) var warnings: [PackageBuilder.Warning] = []

    /// Reads the file at a path of the file system.
    /// - Throws: `PackageError` with code `badManifest`, which names the line, or the errors of `SiteFile`.
    init(at location: String) throws {
        let file = try SiteFile(location)
        guard file.size <= Self.maxBytes else {
            throw PackageError(.tooLarge, "the file has more than \(Self.maxBytes) bytes", at: location)
        }
        var data = Data()
        while let piece = try file.next() { data.append(piece) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw PackageError(.badManifest, "the file is not valid UTF-8", at: location)
        }
        try self.init(text, at: location)
    }

    init(_ text: String, at location: String) throws {
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

    private mutating func warn(_ line: Int, _ problem: String) {
        warnings.append(.init(path: Self.name, problem: "line \(line): \(problem)"))
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
