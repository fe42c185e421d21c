// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import SchemeRouter
internal import StrictJSON

/// The parser of a remote config document. Unknown names belong to later versions and are ignored; all other parts
/// are validated.
struct RemoteConfigJSON: Decodable {
    struct Mode {
        var host: HostPattern
        var pages: PagePattern
        var mode: RemoteConfigMode
    }

    private(set) var version = 0
    private(set) var replaces: Int?
    private(set) var expires: Date?
    private(set) var isEnabled = true
    private(set) var features: [RemoteConfigFeature: RemoteConfigRollOut] = [:]
    private(set) var deny: [PagePattern] = []
    private(set) var modes: [Mode] = []
    private(set) var numbers = RemoteConfigNumbers()
    private(set) var rules = RouteRules.none

    static func read(_ json: Data) throws(RemoteConfigError) -> Self {
        guard json.count <= RemoteConfigDocument.maxBytes else {
            throw RemoteConfigError(.limit, "\(json.count) bytes, limit \(RemoteConfigDocument.maxBytes)")
        }
        // A byte order mark is not allowed in JSON that systems exchange (RFC 8259, section 8.1).
        guard json.first.map({ $0 < 0x80 }) ?? false else { throw RemoteConfigError(.badDocument, "not UTF-8") }
        var limits = JSONScanner.Limits(depth: RemoteConfigDocument.maxDepth)
        limits.allowsEscapedNames = false
        do {
            // The decoder would accept duplicate names and other encodings.
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: limits) }
            return try JSONDecoder().decode(Self.self, from: json)
        } catch let error as RemoteConfigError {
            throw error
        } catch let error as RouteError {
            throw RemoteConfigError(error)
        } catch let error as JSONError where error.code != .malformed {
            throw RemoteConfigError(error.code == .tooMany ? .limit : .badDocument, error.message, cause: error)
        } catch let error as DecodingError {
            throw RemoteConfigError(.badDocument, error.jsonFault.reason, at: error.jsonFault.place, cause: error)
        } catch {
            throw RemoteConfigError(.badDocument, "not JSON", cause: error)
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder)
        let format = try fields.needed(Int.self, "format")
        guard format == 1 else {
            throw RemoteConfigError(.unknownFormat, "format \(format), only 1 is supported", at: "format")
        }
        let versions = 1...(1 << 53 - 1)
        version = try fields.number("version", in: versions, fields.needed(Int.self, "version"))
        if let newest = try fields.value(Int.self, "replaces") {
            replaces = try fields.number("replaces", in: version...versions.upperBound, newest)
        }
        expires = try fields.value(String.self, "expires").map { try Self.time($0, at: "expires") }
        isEnabled = try fields.value(Bool.self, "enabled") ?? true
        try readFeatures(fields)
        try readDenials(fields)
        try readModes(fields)
        if fields.has("rules") { rules = try RouteRules(remote: fields.decoder(of: "rules")) }
        if let limits = try fields.fields("limits") {
            for bound in RemoteConfigNumbers.bounds {
                guard let value = try limits.value(Int.self, bound.name) else { continue }
                numbers[keyPath: bound.number] = try limits.number(bound.name, in: bound.range, value)
            }
        }
    }

    private mutating func readFeatures(_ fields: Fields) throws {
        guard let named = try fields.fields("features") else { return }
        for feature in RemoteConfigFeature.allCases {
            let name = feature.rawValue
            guard named.has(name) else { continue }
            if let isOn = try? named.value(Bool.self, name) {
                features[feature] = isOn ? .on : .off
                continue
            }
            guard let rollOut = try? named.fields(name) else {
                throw RemoteConfigError(
                    .badDocument, "not true, false or a roll-out", at: named.place(of: name))
            }
            let perMille = try rollOut.number("perMille", in: 0...1_000, rollOut.needed(Int.self, "perMille"))
            let salt = try rollOut.value(String.self, "salt").map { try Self.text($0, at: rollOut.place(of: "salt")) }
            features[feature] = .partial(perMille: perMille, salt: salt ?? RolloutBucket.salt(of: feature))
        }
    }

    private mutating func readDenials(_ fields: Fields) throws {
        let texts = try fields.value([String].self, "deny") ?? []
        try Self.check(texts.count, RemoteConfigDocument.maxDenials, at: "deny")
        deny = try texts.enumerated().map { index, text in
            let place = "deny[\(index)]"
            let text = try Self.text(text, at: place)
            do {
                return try PagePattern(text)
            } catch {
                throw RemoteConfigError(.badValue, "not a host or URL pattern: '\(text)'", at: place, cause: error)
            }
        }
    }

    private mutating func readModes(_ fields: Fields) throws {
        let entries = try fields.list("modes")
        try Self.check(entries.count, RemoteConfigDocument.maxModes, at: "modes")
        modes = try entries.map { entry in
            let place = entry.place(of: "host")
            let text = try Self.text(entry.needed(String.self, "host"), at: place)
            guard let host = HostPattern(text), let pages = try? PagePattern(text) else {
                throw RemoteConfigError(.badValue, "not a host pattern: '\(text)'", at: place)
            }
            let name = try entry.needed(String.self, "mode")
            guard let mode = RemoteConfigMode(rawValue: name) else {
                throw RemoteConfigError(
                    .badValue, "not a mode: '\(name)'", at: entry.place(of: "mode"))
            }
            return Mode(host: host, pages: pages, mode: mode)
        }
    }

    private static func check(_ count: Int, _ limit: Int, at place: String) throws {
        guard count <= limit else { throw RemoteConfigError(.limit, "\(count) entries, limit \(limit)", at: place) }
    }

    private static func text(_ text: String, at place: String) throws -> String {
        guard !text.isEmpty else { throw RemoteConfigError(.badValue, "empty", at: place) }
        guard text.utf8.count <= RemoteConfigDocument.maxTextLength else {
            throw RemoteConfigError(.limit, "longer than \(RemoteConfigDocument.maxTextLength) bytes", at: place)
        }
        return text
    }

    /// Parses a time. Only one format is valid, so that all parsers agree.
    private static func time(_ text: String, at place: String) throws -> Date {
        guard text.utf8.count == 20, let time = try? Date(text, strategy: .iso8601), time.formatted(.iso8601) == text
        else { throw RemoteConfigError(.badValue, "not a time such as 2027-01-31T00:00:00Z", at: place) }
        return time
    }
}

/// The fields of an object. `null` is a value of the wrong type, not a missing value.
private struct Fields {
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

    private let container: KeyedDecodingContainer<Name>

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Name.self)
    }

    private init(_ container: KeyedDecodingContainer<Name>) {
        self.container = container
    }

    func place(of name: String) -> String {
        (container.codingPath + [Name(stringValue: name)]).jsonPlace ?? name
    }

    func decoder(of name: String) throws -> any Decoder {
        try container.superDecoder(forKey: Name(stringValue: name))
    }

    func has(_ name: String) -> Bool { container.contains(Name(stringValue: name)) }

    func value<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        has(name) ? try needed(type, name) : nil
    }

    func needed<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        do {
            return try container.decode(type, forKey: Name(stringValue: name))
        } catch let error as DecodingError {
            throw error
        } catch {
            // The number is not an integer, or is too large. The decoder's error has no location.
            throw RemoteConfigError(.badDocument, "not of type \(type)", at: place(of: name), cause: error)
        }
    }

    func fields(_ name: String) throws -> Fields? {
        guard has(name) else { return nil }
        return Fields(try container.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: name)))
    }

    func list(_ name: String) throws -> [Fields] {
        guard has(name) else { return [] }
        var list = try container.nestedUnkeyedContainer(forKey: Name(stringValue: name))
        var entries: [Fields] = []
        while !list.isAtEnd { entries.append(try Fields(list.superDecoder())) }
        return entries
    }

    func number(_ name: String, in range: ClosedRange<Int>, _ value: Int) throws -> Int {
        guard range.contains(value) else {
            throw RemoteConfigError(
                .badValue, "\(value) is not within \(range.lowerBound) to \(range.upperBound)", at: place(of: name))
        }
        return value
    }
}
