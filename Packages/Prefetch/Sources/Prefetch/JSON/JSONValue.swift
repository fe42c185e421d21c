// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import StrictJSON

/// A JSON value in its original form: members keep their order, and numbers keep their digits.
indirect package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// A number as text (RFC 8259, section 6).
    case number(String)
    case string(String)
    case array([JSONValue])
    /// An object, whose names are unique.
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
    /// Parses exactly one value; see `JSONScanner` for the input that it refuses.
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
        default:
            if let value = try scanner.readBool() {
                self = .bool(value)
            } else if try scanner.readNull() {
                self = .null
            } else {
                let text = try scanner.readNumber()
                self = .number(scanner.string(text))
            }
        }
    }

    /// The JSON text without whitespace, with members in their order.
    package var text: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, isCanonical: false)
        return bytes
    }

    /// The canonical JSON text, which is equal for values with the same meaning. Members are in the order of the bytes
    /// of their names, numbers of the same exact value have the same text, and strings have minimal escapes. Strings
    /// with different code points are different, even if they look the same.
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

    /// Writes a string with the escapes of `JSON.stringify`.
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
