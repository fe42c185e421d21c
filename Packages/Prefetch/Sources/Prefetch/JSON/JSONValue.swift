// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import StrictJSON

/// A JSON value as it was written: members in their order, and numbers digit for digit.
indirect package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// As RFC 8259, section 6, has it.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// No name comes twice.
    case object([Member])

    package struct Member: Sendable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }
}

extension JSONValue {
    /// Reads one value and nothing after it; see `JSONScanner` for what it refuses.
    /// - Throws: ``PrefetchError`` with code `badJSON`, or
    ///   `limit` for values that nest deeper than `maxDepth`.
    package init(json: some ContiguousBytes, maxDepth: Int) throws(PrefetchError) {
        do {
            self = try json.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: maxDepth))
                let value = try JSONValue(&scanner)
                try scanner.finish()
                return value
            }
        } catch let error as JSONError {
            throw PrefetchError(
                error.code == .tooMany ? .limit : .badJSON, error.message, at: "byte \(error.position)")
        } catch {
            throw PrefetchError(.badJSON, String(describing: error))
        }
    }

    private init(_ scanner: inout JSONScanner) throws {
        switch scanner.nextToken() {
        case UInt8(ascii: "{"):
            var members: [Member] = []
            try scanner.readObject { scanner, text in
                let name = scanner.string(text)
                members.append(Member(name: name, value: try JSONValue(&scanner)))
            }
            self = .object(members)
        case UInt8(ascii: "["):
            var values: [JSONValue] = []
            try scanner.readArray { scanner in values.append(try JSONValue(&scanner)) }
            self = .array(values)
        case UInt8(ascii: "\""):
            let text = try scanner.readString()
            self = .string(scanner.string(text))
        case UInt8(ascii: "t"):
            try scanner.readWord("true")
            self = .bool(true)
        case UInt8(ascii: "f"):
            try scanner.readWord("false")
            self = .bool(false)
        case UInt8(ascii: "n"):
            try scanner.readWord("null")
            self = .null
        default:
            let text = try scanner.readNumber()
            self = .number(scanner.string(text))
        }
    }

    /// The value without white space, members in their order.
    package var text: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, isCanonical: false)
        return bytes
    }

    /// One spelling for all that mean the same: members in the order of their names' bytes, each number by its exact
    /// value, each string with the least of escapes. Texts of other code points are others, even where they look the
    /// same.
    package var canonical: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, isCanonical: true)
        return bytes
    }

    private func write(to bytes: inout [UInt8], isCanonical: Bool) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += (isCanonical ? JSONNumber.canonical(text) : text).utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes, isCanonical: isCanonical)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            var members = members
            if isCanonical { members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes, isCanonical: isCanonical)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// With the escapes that `JSON.stringify` writes.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
