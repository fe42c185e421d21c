// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import StrictJSON

/// The JSON document of rules, format 1.
///
/// Unknown names are rejected, because a rule with a misspelled condition would match too many requests.
struct RouteDocument: Decodable {
    static let limitsKey = CodingUserInfoKey(rawValue: "limits")

    let isEnabled: Bool
    var rules: [RouteRule] = []
    var deny: [RouteRule] = []

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: ["format", "enabled", "rules", "deny"])
        guard let format = try fields.decode(Int.self, "format") else {
            throw RouteError(.badDocument, "format is missing")
        }
        guard format == 1 else { throw RouteError(.unknownFormat, "\(format); this version supports 1", at: "format") }
        isEnabled = try fields.decode(Bool.self, "enabled") ?? true
        let limits = Self.limitsKey.flatMap { decoder.userInfo[$0] as? RouteLimits } ?? RouteLimits()
        var left = limits.maxRules
        rules = try fields.rules("rules", hasAction: true, limits, left: &left)
        deny = try fields.rules("deny", hasAction: false, limits, left: &left)
    }

    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    /// The fields of an object with known names only.
    struct Fields {
        let container: KeyedDecodingContainer<Name>

        init(_ decoder: any Decoder, known: Set<String>) throws {
            container = try decoder.container(keyedBy: Name.self)
            for key in container.allKeys where !known.contains(key.stringValue) {
                throw RouteError(
                    .badDocument, "unknown name: \(key.stringValue)", at: container.codingPath.jsonPlace)
            }
        }

        /// Returns the value of a name, or `nil` if it is absent. `null` is an error.
        func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
            let key = Name(stringValue: name)
            return container.contains(key) ? try container.decode(type, forKey: key) : nil
        }

        func has(_ name: String) -> Bool { container.contains(Name(stringValue: name)) }

        func place(of name: String) -> String {
            (container.codingPath + [Name(stringValue: name)]).jsonPlace ?? name
        }

        /// Parses a text within a length limit, by default that of patterns. Errors of `read` are reported for this
        /// field.
        func text<Value>(
            _ name: String, _ limits: RouteLimits, length: Int? = nil, _ read: (String) throws -> Value?
        ) throws -> Value? {
            guard let text = try decode(String.self, name) else { return nil }
            return try Self.read(text, length ?? limits.maxTextLength, place(of: name), read)
        }

        /// Parses a list of texts, each as in ``text(_:_:_:)``.
        func texts<Value>(_ name: String, _ limits: RouteLimits, _ read: (String) throws -> Value?) throws -> [Value] {
            guard let texts = try decode([String].self, name) else { return [] }
            let place = place(of: name)
            guard (1...limits.maxListCount).contains(texts.count) else {
                throw RouteError(
                    .limit, "\(texts.count) items; 1 to \(limits.maxListCount) are allowed", at: place)
            }
            return try texts.enumerated().map { index, text in
                try Self.read(text, limits.maxTextLength, "\(place)[\(index)]", read)
            }
        }

        func rules(_ name: String, hasAction: Bool, _ limits: RouteLimits, left: inout Int) throws -> [RouteRule] {
            let key = Name(stringValue: name)
            guard container.contains(key) else { return [] }
            let list = try container.nestedUnkeyedContainer(forKey: key)
            return try RouteDocument.rules(list, hasAction: hasAction, limits, left: &left)
        }

        private static func read<Value>(
            _ text: String, _ length: Int, _ place: String, _ read: (String) throws -> Value?
        ) throws -> Value {
            guard text.utf8.count <= length else {
                throw RouteError(.limit, "longer than \(length) bytes", at: place)
            }
            do {
                guard let value = try read(text) else { throw RouteError(.badRule, "invalid value: '\(text)'") }
                return value
            } catch let error as RouteError {
                throw RouteError(error.code, error.message, at: place, cause: error.cause)
            }
        }
    }

    static func rules(
        _ container: any UnkeyedDecodingContainer, hasAction: Bool, _ limits: RouteLimits, left: inout Int
    ) throws -> [RouteRule] {
        var list = container
        var rules: [RouteRule] = []
        while !list.isAtEnd {
            left -= 1
            guard left >= 0 else {
                throw RouteError(.limit, "more than \(limits.maxRules) rules", at: list.codingPath.jsonPlace)
            }
            rules.append(try rule(try list.superDecoder(), hasAction: hasAction, limits))
        }
        return rules
    }

    private static func rule(_ decoder: any Decoder, hasAction: Bool, _ limits: RouteLimits) throws -> RouteRule {
        var known: Set = ["scheme", "host", "glob", "expression", "methods", "pages"]
        if hasAction { known.formUnion(Fields.actionMembers.union(["action"])) }
        let fields = try Fields(decoder, known: known)
        let here = decoder.codingPath.jsonPlace
        let action = try hasAction ? fields.action(limits) : .pass
        let glob = try fields.text("glob", limits) { try PathPattern(glob: $0) }
        let expression = try fields.text("expression", limits) { try PathPattern(expression: $0) }
        guard glob == nil || expression == nil else {
            throw RouteError(.badRule, "both a glob and an expression", at: here)
        }
        return RouteRule(
            action, scheme: try fields.text("scheme", limits) { RouteRule.Scheme(rawValue: $0) },
            host: try fields.text("host", limits) { HostPattern($0) }, path: glob ?? expression,
            methods: Set(try fields.texts("methods", limits) { HTTPRequest.Method($0) }),
            pages: try fields.texts("pages", limits) { try PagePattern($0) })
    }
}

/// The limits of rules, which come from the network and are evaluated for each request.
public struct RouteLimits: Sendable, Hashable {
    /// The maximum size of a document in bytes; 2 MiB by default.
    public var maxBytes = 2 << 20
    /// The maximum number of rules and deny list entries together; 10,000 by default.
    public var maxRules = 10_000
    /// The maximum length of a pattern, host, method or page in UTF-8 bytes; 256 by default.
    public var maxTextLength = 256
    /// The maximum number of methods, and of pages, in a rule; 32 each by default.
    public var maxListCount = 32
    /// The maximum length of a redirect's template, and of the value of a header field, in UTF-8 bytes; 4,096 by
    /// default.
    public var maxValueLength = 4_096
    /// The maximum number of header fields of a fixed response, and of changed fields of a request or a response; 32
    /// by default.
    public var maxFields = 32
    /// The maximum size of the body of one fixed response in bytes; 64 KiB by default.
    public var maxBodyBytes = 64 << 10
    /// The maximum size of the bodies of all fixed responses in bytes; 1 MiB by default.
    public var maxTotalBodyBytes = 1 << 20
    /// The maximum number of automaton positions in the path patterns that can apply to one host; 32,768 by default.
    /// The cost of a request is at most this number multiplied by the length of its path in bytes.
    public var maxPositions = 32_768
    /// The maximum number of automaton positions in all path patterns; 262,144 by default, which uses about 8 MB of
    /// memory.
    public var maxTotalPositions = 262_144

    /// Creates the default options.
    public init() {}
}
