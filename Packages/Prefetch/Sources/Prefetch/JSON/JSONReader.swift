// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads JSON (RFC 8259) into values.
///
/// Refused are names that come twice in one object, which readers take differently, strings that are no text (not
/// UTF-8, or half a surrogate pair), and values nested too deep. A byte order mark in front is ignored (section 8.1).
struct JSONReader {
    private let bytes: [UInt8]
    private let maxDepth: Int
    private var position = 0
    private var depth = 0

    /// Reads one value, and nothing after it.
    static func read(_ bytes: [UInt8], maxDepth: Int) throws(PrefetchError) -> JSONValue {
        var reader = JSONReader(bytes, maxDepth: maxDepth)
        let value = try reader.readValue()
        guard reader.token() == nil else { throw reader.failure("more than one value") }
        return value
    }

    private init(_ bytes: [UInt8], maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private func failure(_ message: String) -> PrefetchError {
        PrefetchError(.badJSON, message, at: "byte \(position)")
    }

    /// The byte here; `nil` at the end.
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The first byte of the next token; `nil` at the end.
    private mutating func token() -> UInt8? {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        return byte
    }

    private mutating func readValue() throws(PrefetchError) -> JSONValue {
        switch token() {
        case UInt8(ascii: "{"): return .object(try readObject())
        case UInt8(ascii: "["): return .array(try readArray())
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return .number(try readNumber())
        }
    }

    private mutating func readWord(_ word: String, _ value: JSONValue) throws(PrefetchError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("no JSON value") }
        position += word.utf8.count
        return value
    }

    private mutating func enter() throws(PrefetchError) {
        position += 1
        depth += 1
        guard depth <= maxDepth else {
            throw PrefetchError(.limit, "values nested more than \(maxDepth) deep", at: "byte \(position)")
        }
    }

    private mutating func leave() {
        position += 1
        depth -= 1
    }

    private mutating func readObject() throws(PrefetchError) -> [JSONValue.Member] {
        try enter()
        var members: [JSONValue.Member] = []
        // By bytes: texts that only look the same are two names.
        var names: Set<[UInt8]> = []
        if token() == UInt8(ascii: "}") {
            leave()
            return []
        }
        while true {
            guard token() == UInt8(ascii: "\"") else { throw failure("no name in quotes, where a member begins") }
            let name = try readString()
            guard names.insert(Array(name.utf8)).inserted else { throw failure("a name that comes twice: \(name)") }
            guard token() == UInt8(ascii: ":") else { throw failure("no colon after a name") }
            position += 1
            members.append(JSONValue.Member(name: name, value: try readValue()))
            switch token() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                leave()
                return members
            default: throw failure("no comma and no end in an object")
            }
        }
    }

    private mutating func readArray() throws(PrefetchError) -> [JSONValue] {
        try enter()
        var values: [JSONValue] = []
        if token() == UInt8(ascii: "]") {
            leave()
            return []
        }
        while true {
            values.append(try readValue())
            switch token() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                leave()
                return values
            default: throw failure("no comma and no end in an array")
            }
        }
    }

    private mutating func readNumber() throws(PrefetchError) -> String {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        let isZero = byte == UInt8(ascii: "0")
        let count = skipDigits()
        guard count > 0 else { throw failure("no JSON value") }
        guard !isZero || count == 1 else { throw failure("number with a leading zero") }
        if byte == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() > 0 else { throw failure("no digits after a point") }
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw failure("no digits in an exponent") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    /// The position is at the opening quote.
    private mutating func readString() throws(PrefetchError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte {
            guard byte >= 0x20 else { throw failure("control character in a string") }
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("string that is no UTF-8")
                }
                return string
            }
            if byte == UInt8(ascii: "\\") { try readEscape(into: &text) } else { text.append(byte) }
        }
        throw failure("string without an end")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(PrefetchError) {
        let escape = byte
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text += [escape ?? 0]
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = try readFourDigits()
            if (0xD800..<0xDC00).contains(value), bytes[position...].starts(with: "\\u".utf8) {
                position += 2
                let low = try readFourDigits()
                guard (0xDC00..<0xE000).contains(low) else { throw failure("half a surrogate pair") }
                value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair") }
            text += String(scalar).utf8
        default: throw failure("unknown escape")
        }
    }

    private mutating func readFourDigits() throws(PrefetchError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = HexDigit.value(of: byte) else { throw failure("unknown escape") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
