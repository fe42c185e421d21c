// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import SystemSupport
internal import WebSyntax

/// A rule that adds response header fields to the files of a package whose paths match a pattern, and to 404 responses.
///
/// A pattern begins with `/`, which is the base URL, and contains at most one `*`, which matches any characters,
/// including slashes. It has no percent escapes, and is compared byte by byte. A file matches under its path.
/// `index.html` also matches under the path of its folder, and another `.html` file also matches under its path without
/// the extension.
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
    /// version of its package. Each of its directives is `no-cache`, `no-store`, `no-transform`, `must-revalidate`,
    /// `proxy-revalidate`, `private`, `public` or `immutable` without an argument, or `max-age` or `s-maxage` with
    /// digits, so that all caches read the same directives.
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

    /// The bytes of the pattern before the star, or all if there is none.
    private let start: [UInt8]
    /// The bytes of the pattern after the star, or `nil` if there is none.
    private let end: [UInt8]?

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
        let parts = path.utf8.split(separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
        start = Array(parts[0])
        end = parts.count > 1 ? Array(parts[1]) : nil
    }

    /// Returns a Boolean value that indicates whether both rules have equal fields and the same bytes as their pattern.
    public static func == (one: Self, other: Self) -> Bool {
        one.path.hasSameBytes(as: other.path) && one.fields == other.fields
    }

    /// Hashes the bytes of the pattern, and the fields.
    public func hash(into hasher: inout Hasher) {
        path.hashBytes(into: &hasher)
        hasher.combine(fields)
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
        try check(cacheControl: value)
    }

    /// Checks the directives of a `Cache-Control` (RFC 9111, section 5.2.2).
    ///
    /// Caches read an unknown or malformed directive differently, so that it could hide the one that forbids reuse.
    /// `must-understand` overrides `no-store`.
    /// - Parameter value: a value of printable ASCII.
    private static func check(cacheControl value: String) throws {
        var forbidsReuse = false
        for part in value.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            var directive = part.drop { $0 == " " }
            while directive.last == " " { directive.removeLast() }
            let pair = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let argument = pair.count > 1 ? pair[1] : nil
            let hasDigits =
                argument?.isEmpty == false && argument?.utf8.allSatisfy { (0x30...0x39).contains($0) } == true
            switch pair[0] {
            case "no-cache" where argument == nil, "no-store" where argument == nil: forbidsReuse = true
            case "max-age" where hasDigits, "s-maxage" where hasDigits: break
            case "no-transform", "must-revalidate", "proxy-revalidate", "private", "public", "immutable":
                guard argument == nil else { fallthrough }
            default:
                throw PackageError(
                    .badManifest,
                    "Cache-Control: the directive \(String(directive).printable(limit: 100)) is not allowed")
            }
        }
        guard forbidsReuse else { throw PackageError(.badManifest, "Cache-Control lacks no-cache or no-store") }
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

    /// Returns the paths under which static hosts serve a file, as bytes.
    /// - Parameter file: the path of the file.
    fileprivate static func names(of file: String) -> [ArraySlice<UInt8>] {
        let name = Array("/\(file)".utf8)
        var names = [name[...]]
        for (suffix, kept) in [("/index.html", 1), (".html", 0)]
        where name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
            names.append(name.dropLast(suffix.utf8.count - kept))
        }
        return names
    }

    /// Returns a Boolean value that indicates whether a path, which begins with a slash, matches the pattern.
    fileprivate func matches(_ name: ArraySlice<UInt8>) -> Bool {
        guard let end else { return name.elementsEqual(start) }
        return name.count >= start.count + end.count && name.starts(with: start)
            && name.suffix(end.count).elementsEqual(end)
    }
}

extension [ResponseFieldRule] {
    /// Returns the rules that match none of the files, in their order.
    /// - Parameter files: the paths of the files.
    @_spi(Packaging) public func unused(by files: some Sequence<String>) -> [ResponseFieldRule] {
        var unused = self
        for file in files where !unused.isEmpty {
            let names = ResponseFieldRule.names(of: file)
            unused.removeAll { rule in names.contains(where: rule.matches) }
        }
        return unused
    }

    /// Returns the fields of the response for a file, sorted by name.
    ///
    /// If several rules have a field, its values are joined by `, ` in the order of the rules, as static hosts do. A
    /// 404 response has the fields that the missing file would have. A redirect has none: static hosts apply the file
    /// `_headers` to files, after their redirects.
    /// - Parameter file: the path of the file, which need not exist.
    @_spi(Packaging) public func fields(of file: String) -> HTTPFields {
        let names = ResponseFieldRule.names(of: file)
        var values: [String: String] = [:]
        for rule in self where names.contains(where: rule.matches) {
            values.merge(rule.fields) { "\($0), \($1)" }
        }
        var fields = HTTPFields()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }
}
