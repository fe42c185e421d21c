// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import SystemSupport
internal import WebSyntax

/// A rule that adds response header fields to the files of a package whose paths match a pattern.
///
/// A pattern begins with `/`, which is the base URL, and contains at most one `*`, which matches any characters,
/// including slashes. It has no percent escapes. A file matches under its path. `index.html` also matches under the
/// path of its folder, and another `.html` file also matches under its path without the extension.
///
/// Only the fields of ``allowedFields`` are possible. They affect the page and the engine, but neither the connection
/// nor the representation of the body.
public struct ResponseFieldRule: Sendable, Hashable, Codable {
    /// The maximum number of rules of a package.
    public static let maxRules = 100
    /// The maximum number of bytes of a pattern.
    public static let maxPatternBytes = 1_024
    /// The maximum number of bytes of the value of a field.
    public static let maxValueBytes = 8_192
    /// The maximum number of bytes of all patterns, names and values of a package.
    public static let maxTotalBytes = 64 << 10

    /// The names of the possible fields.
    ///
    /// `Cache-Control` must contain `no-cache` or `no-store`. Otherwise a file in the engine's cache could outlive the
    /// version of its package.
    public static let allowedFields = [
        "Access-Control-Allow-Origin", "Cache-Control", "Content-Language", "Content-Security-Policy",
        "Content-Security-Policy-Report-Only", "Cross-Origin-Embedder-Policy",
        "Cross-Origin-Embedder-Policy-Report-Only", "Cross-Origin-Opener-Policy",
        "Cross-Origin-Opener-Policy-Report-Only", "Cross-Origin-Resource-Policy", "Document-Policy", "Link",
        "Origin-Agent-Cluster", "Permissions-Policy", "Referrer-Policy", "SourceMap", "Timing-Allow-Origin",
        "X-Content-Type-Options", "X-Frame-Options", "X-Robots-Tag",
    ]

    /// The pattern of the paths.
    public let path: String
    /// The values of the fields by name. The names are spelled as in ``allowedFields``.
    public let fields: [String: String]

    /// Creates a rule.
    /// - Throws: ``PackageError`` with code `badManifest` if the pattern, a name or a value is not valid, or if two
    ///   names differ only in case.
    public init(path: String, fields: [String: String]) throws {
        try Self.check(pattern: path)
        var spelled: [String: String] = [:]
        for (name, value) in fields {
            guard let known = Self.allowedName(name) else {
                throw PackageError(.badManifest, "the field \(name.printable(limit: 100)) is not allowed", at: path)
            }
            try Self.check(value, of: known)
            guard spelled.updateValue(value, forKey: known) == nil else {
                throw PackageError(.badManifest, "the field \(known) occurs twice", at: path)
            }
        }
        self.path = path
        self.fields = spelled
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            path: container.decode(String.self, forKey: .path),
            fields: container.decode([String: String].self, forKey: .fields))
    }

    private enum CodingKeys: String, CodingKey {
        case path, fields
    }

    /// Returns the spelling of a field's name in ``allowedFields``, ignoring case, or `nil` if it is not allowed.
    public static func allowedName(_ name: String) -> String? {
        let name = name.utf8.map(\.asciiLowercased)
        return allowedFields.first { $0.utf8.lazy.map(\.asciiLowercased).elementsEqual(name) }
    }

    /// Checks a pattern.
    /// - Throws: ``PackageError`` with code `badManifest`.
    public static func check(pattern: String) throws {
        func refuse(_ reason: String) -> PackageError {
            PackageError(.badManifest, "path pattern: \(reason)", at: pattern.printable(limit: 200))
        }
        guard pattern.utf8.first == UInt8(ascii: "/") else { throw refuse("it must begin with a slash") }
        guard pattern.utf8.count <= maxPatternBytes else { throw refuse("more than \(maxPatternBytes) bytes") }
        guard pattern.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= 1 else { throw refuse("more than one star") }
        guard !pattern.utf8.contains(UInt8(ascii: "%")) else { throw refuse("percent escapes are not supported") }
        guard !pattern.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw refuse("control character")
        }
        let segments = pattern.utf8.split(separator: UInt8(ascii: "/"))
        guard !segments.contains(where: { $0.first == UInt8(ascii: ":") }) else {
            throw refuse("placeholders are not supported")
        }
    }

    /// Checks the value of an allowed field.
    /// - Throws: ``PackageError`` with code `badManifest`.
    public static func check(_ value: String, of name: String) throws {
        let bytes = value.utf8
        guard (1...maxValueBytes).contains(bytes.count) else {
            throw PackageError(.badManifest, "the value of \(name) is empty or has more than \(maxValueBytes) bytes")
        }
        // Other bytes would end the line or have no defined encoding (RFC 9110, section 5.5).
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }), bytes.first != 0x20, bytes.last != 0x20 else {
            throw PackageError(.badManifest, "the value of \(name) has other characters than printable ASCII")
        }
        guard name == "Cache-Control" else { return }
        let directives = value.lowercased().split(separator: ",").map { $0.drop { $0 == " " }.prefix { $0 != " " } }
        guard directives.contains(where: { $0 == "no-cache" || $0 == "no-store" }) else {
            throw PackageError(.badManifest, "Cache-Control lacks no-cache or no-store")
        }
    }

    /// Checks the number of rules and their total size.
    /// - Throws: ``PackageError`` with code `badManifest`.
    public static func check(_ rules: [ResponseFieldRule]) throws {
        guard rules.count <= maxRules else {
            throw PackageError(.badManifest, "more than \(maxRules) rules for response fields")
        }
        let size = rules.reduce(0) { size, rule in
            rule.fields.reduce(size + rule.path.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
        guard size <= maxTotalBytes else {
            throw PackageError(.badManifest, "the rules for response fields have more than \(maxTotalBytes) bytes")
        }
    }

    /// Returns a Boolean value that indicates whether a file matches the pattern.
    /// - Parameter file: the path of the file in normalization form C.
    func matches(_ file: String) -> Bool {
        let pattern = Array(UnicodeForm.canonical(path).utf8)
        let name = Array("/\(file)".utf8)
        if Self.matches(pattern, name[...]) { return true }
        for (suffix, kept) in [("/index.html", 1), (".html", 0)]
        where name.reversed().starts(with: suffix.utf8.reversed()) {
            if Self.matches(pattern, name.dropLast(suffix.utf8.count - kept)) { return true }
        }
        return false
    }

    private static func matches(_ pattern: [UInt8], _ name: ArraySlice<UInt8>) -> Bool {
        guard let star = pattern.firstIndex(of: UInt8(ascii: "*")) else { return name.elementsEqual(pattern) }
        let (start, end) = (pattern[..<star], pattern[(star + 1)...])
        return name.count >= start.count + end.count && name.starts(with: start)
            && name.suffix(end.count).elementsEqual(end)
    }
}

extension [ResponseFieldRule] {
    /// Returns the fields of a file, sorted by name.
    ///
    /// If several rules have a field, its values are joined by `, ` in the order of the rules, as static hosts do.
    /// - Parameter file: the path of the file in normalization form C.
    @_spi(Packaging) public func fields(of file: String) -> HTTPFields {
        var values: [String: String] = [:]
        for rule in self where rule.matches(file) {
            values.merge(rule.fields) { "\($0), \($1)" }
        }
        var fields = HTTPFields()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }
}
