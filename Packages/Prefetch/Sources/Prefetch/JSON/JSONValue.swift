// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A JSON value as it was written: members in their order, and numbers digit for digit.
indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// As RFC 8259, section 6, has it.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// No name comes twice.
    case object([Member])

    struct Member: Sendable {
        let name: String
        let value: JSONValue
    }
}

extension JSONValue {
    /// The value without white space, members in their order.
    var text: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, isCanonical: false)
        return bytes
    }

    /// One spelling for all that mean the same: members in the order of their names' bytes, each number by its exact
    /// value, each string with the least of escapes. Texts of other code points are others, even where they look the
    /// same.
    var canonical: [UInt8] {
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
