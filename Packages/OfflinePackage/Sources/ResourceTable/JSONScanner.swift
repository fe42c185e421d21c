// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads JSON (RFC 8259) from front to back, without making values of it.
///
/// Every byte is read through ``peek()`` or behind a check of the position, so that no input leads outside of the bytes.
/// Strings are checked to be UTF-8, skipped ones too. A byte order mark in front is ignored, as section 8.1 allows.
/// A lone surrogate is refused: it is no text.
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    private let maxDepth: Int
    private(set) var position = 0
    private var depth = 0
    /// The last string that had escapes, without them.
    private var scratch: [UInt8] = []

    /// - Parameter bytes: must stay valid while the scanner is used.
    init(_ bytes: UnsafeRawBufferPointer, maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    func failure(_ message: String) -> TableError {
        TableError(.badJSON, message, at: "byte \(position)")
    }

    // MARK: Structure

    /// The first byte of the next token; 0 at the end, which no token begins with.
    @inline(__always)
    mutating func nextToken() -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return 0
    }

    @inline(__always)
    private func peek() -> UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    /// Reads an object. `member` is called with each name and must read its value.
    @inline(__always)
    mutating func readObject(_ member: (inout JSONScanner, JSONText) throws(TableError) -> Void) throws(TableError) {
        guard nextToken() == UInt8(ascii: "{") else { throw failure("no object") }
        try enter()
        if nextToken() == UInt8(ascii: "}") { return leave() }
        while true {
            guard nextToken() == UInt8(ascii: "\"") else { throw failure("no name in quotes, where a member begins") }
            let name = try readString()
            guard nextToken() == UInt8(ascii: ":") else { throw failure("no colon after a name") }
            position += 1
            try member(&self, name)
            switch nextToken() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"): return leave()
            default: throw failure("no comma and no end in an object")
            }
        }
    }

    /// What is left after the value may be white space only.
    mutating func finish() throws(TableError) {
        guard nextToken() == 0, position == bytes.count else { throw failure("more than one value") }
    }

    private mutating func enter() throws(TableError) {
        position += 1
        depth += 1
        guard depth <= maxDepth else {
            throw TableError(.tooMany, "values nested more than \(maxDepth) deep", at: "byte \(position)")
        }
    }

    private mutating func leave() {
        position += 1
        depth -= 1
    }

    // MARK: Skipping

    /// Reads a value of any kind and forgets it.
    mutating func skipValue() throws(TableError) {
        switch nextToken() {
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "{"):
            try readObject { scanner, _ throws(TableError) in try scanner.skipValue() }
        case UInt8(ascii: "["): try skipArray()
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        default: _ = try readNumber()
        }
    }

    private mutating func skipArray() throws(TableError) {
        try enter()
        if nextToken() == UInt8(ascii: "]") { return leave() }
        while true {
            try skipValue()
            switch nextToken() {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"): return leave()
            default: throw failure("no comma and no end in an array")
            }
        }
    }

    // MARK: Scalars

    mutating func readWord(_ word: StaticString) throws(TableError) {
        let end = position + word.utf8CodeUnitCount
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[position..<end].elementsEqual(letters) else { throw failure("no JSON value") }
        position = end
    }

    /// Reads a number.
    /// - Returns: its text where it is an integer, without fraction and exponent.
    mutating func readNumber() throws(TableError) -> JSONText? {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        let hasLeadingZero = peek() == UInt8(ascii: "0")
        guard skipDigits() else { throw failure("no JSON value") }
        if hasLeadingZero, position - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1) {
            throw failure("number with a leading zero")
        }
        let end = position
        var isInteger = true
        if peek() == UInt8(ascii: ".") {
            position += 1
            isInteger = false
            guard skipDigits() else { throw failure("no digits after a point") }
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            position += 1
            isInteger = false
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() else { throw failure("no digits in an exponent") }
        }
        return isInteger ? JSONText(range: start..<end, hasEscapes: false) : nil
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while peek() &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }

    // MARK: Strings

    /// Reads a string; the position must be at its opening quote. What it returns is good until the next string is read.
    @inline(__always)
    mutating func readString() throws(TableError) -> JSONText {
        position += 1
        let start = position
        var high: UInt64 = 0
        while position < bytes.count {
            // Eight at once, while none of them is a quote, a backslash or a control character.
            if position + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                if !Self.hasSpecial(word) {
                    high |= word
                    position += 8
                    continue
                }
            }
            // Up to the special one, or to the end.
            while position < bytes.count {
                let byte = bytes[position]
                if byte == UInt8(ascii: "\"") {
                    let range = start..<position
                    if high & Self.highBits != 0 { try checkUTF8(range) }
                    position += 1
                    return JSONText(range: range, hasEscapes: false)
                }
                if byte == UInt8(ascii: "\\") { return try readEscapedString(from: start) }
                guard byte >= 0x20 else { throw failure("control character in a string") }
                high |= UInt64(byte)
                position += 1
            }
        }
        throw failure("string without an end")
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether one of eight bytes is a quote, a backslash or below 0x20.
    @inline(__always)
    private static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- (ones &* 0x20)) & ~word)
        return found & highBits != 0
    }

    private func checkUTF8(_ range: Range<Int>) throws(TableError) {
        guard String(validating: bytes[range], as: UTF8.self) != nil else {
            throw TableError(.badJSON, "string that is no UTF-8", at: "byte \(range.lowerBound)")
        }
    }

    /// Goes on at the first backslash of a string.
    private mutating func readEscapedString(from start: Int) throws(TableError) -> JSONText {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                guard scratch.allSatisfy({ $0 < 0x80 }) || String(validating: scratch, as: UTF8.self) != nil else {
                    throw TableError(.badJSON, "string that is no UTF-8", at: "byte \(start)")
                }
                return JSONText(range: 0..<scratch.count, hasEscapes: true)
            }
            guard byte >= 0x20 else { throw failure("control character in a string") }
            position += 1
            if byte == UInt8(ascii: "\\") { try readEscape() } else { scratch.append(byte) }
        }
        throw failure("string without an end")
    }

    /// Goes on after a backslash.
    private mutating func readEscape() throws(TableError) {
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(byte)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            var value = try readFourDigits()
            if 0xD800..<0xDC00 ~= value, peek() == UInt8(ascii: "\\") {
                position += 1
                guard peek() == UInt8(ascii: "u") else { throw failure("half a surrogate pair") }
                position += 1
                let low = try readFourDigits()
                guard 0xDC00..<0xE000 ~= low else { throw failure("half a surrogate pair") }
                value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair") }
            scratch.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        default: throw failure("unknown escape")
        }
    }

    private mutating func readFourDigits() throws(TableError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(peek())).hexDigitValue else { throw failure("unknown escape") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: What a string holds

    /// The bytes of a string: valid UTF-8.
    @inline(__always)
    func withBytes<Result>(of text: JSONText, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.hasEscapes
            ? scratch.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[text.range])) }
            : body(UnsafeRawBufferPointer(rebasing: bytes[text.range]))
    }

    @inline(__always)
    func equals(_ text: JSONText, _ name: StaticString) -> Bool {
        text.range.count == name.utf8CodeUnitCount
            && withBytes(of: text) { bytes in
                var difference: UInt8 = 0
                for index in 0..<bytes.count { difference |= bytes[index] ^ name.utf8Start[index] }
                return difference == 0
            }
    }

    func string(_ text: JSONText) -> String {
        withBytes(of: text) { String(decoding: $0, as: UTF8.self) }
    }
}
