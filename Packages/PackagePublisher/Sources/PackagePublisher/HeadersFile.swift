// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

/// The file `_headers` in the root of a site, with the response fields of its files, as static hosts read it.
///
/// A line without indentation is a pattern of paths; indented lines below it are `Name: value`. Empty lines, and lines
/// that begin with `#`, have no meaning. Fields that a package cannot have are left out with a warning.
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
        var pattern: String?
        var fields: [String: String] = [:]
        var number = 0
        func failing<Value>(_ body: () throws -> Value) throws -> Value {
            do {
                return try body()
            } catch let error as PackageError {
                throw PackageError(.badManifest, "line \(number): \(error.message)", at: location, cause: error)
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
                if let pattern { try failing { try append(pattern, fields) } }
                pattern = String(Substring(content))
                fields = [:]
                try failing { try ResponseFieldRule.check(pattern: String(Substring(content))) }
                continue
            }
            guard pattern != nil else { throw refuse("a field without a path before it") }
            guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else {
                throw refuse("neither a path nor a field of the form Name: value")
            }
            let rawName = String(Substring(Self.trimmed(content[..<colon])))
            let value = String(Substring(Self.trimmed(content[content.index(after: colon)...])))
            guard let name = ResponseFieldRule.allowedName(rawName) else {
                let problem =
                    "line \(number): a package cannot have the field \(rawName.printable(limit: 100)); left out"
                warnings.append(.init(path: Self.name, problem: problem))
                continue
            }
            if name == "Cache-Control", (try? ResponseFieldRule.check(value, of: name)) == nil {
                let problem =
                    "line \(number): Cache-Control without no-cache or no-store; left out, the app revalidates files"
                warnings.append(.init(path: Self.name, problem: problem))
                continue
            }
            try failing {
                try ResponseFieldRule.check(value, of: name)
                let joined = fields[name].map { "\($0), \(value)" } ?? value
                try ResponseFieldRule.check(joined, of: name)
                fields[name] = joined
            }
        }
        if let pattern { try failing { try append(pattern, fields) } }
    }

    private mutating func append(_ pattern: String, _ fields: [String: String]) throws {
        guard !fields.isEmpty else { return }
        rules.append(try ResponseFieldRule(path: pattern, fields: fields))
        try ResponseFieldRule.check(rules)
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
