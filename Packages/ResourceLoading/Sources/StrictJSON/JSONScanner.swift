// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A pull parser for JSON (RFC 8259) that does not build a tree of values.
///
/// Memory use does not depend on the size of the input: skipped values are validated and not stored. Every byte is
/// read through `peek()` or after a bounds check.
///
/// The scanner also rejects strings that are not UTF-8, unpaired surrogates, and duplicate names in an object, even in
/// skipped values. Names are compared in unescaped form. Duplicates are rejected because some readers use the first
/// value of a name and others the last. A leading byte order mark is ignored (RFC 8259, section 8.1).
public struct JSONScanner {
    /// The limits of a text.
    public struct Limits: Sendable, Hashable {
        /// The maximum nesting depth of values, including skipped ones. Default: 32.
        public var depth = 32
        /// The maximum total number of names in all objects that are open at one time. Default: 10,000.
        public var names = 10_000
        /// The maximum length of a name in bytes. Default: 8,192.
        public var nameLength = 8_192
        /// A Boolean value that indicates whether names may have escapes. Some readers compare the bytes of names and
        /// do not resolve escapes. Default: `true`.
        public var allowsEscapedNames = true

        /// Creates the default limits.
        public init() {}

        /// Creates limits for a text whose size is already limited. The number and the length of its names are
        /// unlimited.
        /// - Parameter depth: the maximum nesting depth.
        public init(depth: Int) {
            self.depth = depth
            names = .max
            nameLength = .max
        }
    }

    @usableFromInline let bytes: UnsafeRawBufferPointer
    private let limits: Limits
    @usableFromInline var offset = 0
    private var depth = 0
    /// A Boolean value that indicates whether duplicate names and unpaired surrogates are rejected. It is `false` while
    /// ``skipValue(checksText:)`` checks only the grammar.
    private var checksText = true
    /// The unescaped bytes of the last string that had escapes.
    @usableFromInline var scratch: [UInt8] = []
    /// The unescaped names of the open objects, concatenated.
    private var names: [UInt8] = []
    /// The start offset of each name in `names`.
    private var starts: [Int] = []

    /// Creates a scanner at the start of a JSON text, after the byte order mark if there is one.
    /// - Parameters:
    ///   - bytes: the text in UTF-8. The bytes must stay valid while the scanner is used.
    ///   - limits: the limits of depth and names.
    public init(_ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()) {
        self.bytes = bytes
        self.limits = limits
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Validates that the bytes are one JSON value within limits.
    /// - Throws: ``JSONError``.
    public static func validate(_ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()) throws {
        var scanner = JSONScanner(bytes, limits: limits)
        try scanner.skipValue()
        try scanner.finish()
    }

    /// The position of the next byte.
    @inlinable
    public var position: Int { offset }

    /// Moves back to the start of a value that was read in part, so that it can be skipped.
    ///
    /// Call it after the closure of an object or an array inside the value has thrown an error other than
    /// ``JSONError``.
    /// - Parameter position: the position before the value.
    public mutating func rewind(to position: Int) {
        offset = min(offset, max(position, 0))
    }

    /// Returns an error of malformed JSON at the current position.
    public func failure(_ message: String) -> JSONError {
        JSONError(.malformed, message, at: offset)
    }

    // MARK: Structure

    /// Returns the first byte of the next token, or 0 at the end of the input. No token begins with 0.
    @inlinable
    @inline(__always)
    public mutating func nextToken() -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            offset += 1
        }
        return 0
    }

    @inline(__always)
    private func peek() -> UInt8 {
        offset < bytes.count ? bytes[offset] : 0
    }

    /// Reads an object.
    /// - Parameters:
    ///   - checksNames: `false` if the caller itself rejects duplicate names, for objects with many members.
    ///   - member: a closure that is called with each name; it must read the value.
    /// - Throws: ``JSONError``, or the error of `member`.
    @inlinable
    @inline(__always)
    public mutating func readObject(
        checksNames: Bool = true, _ member: (inout JSONScanner, JSONText) throws -> Void
    ) throws {
        guard nextToken() == UInt8(ascii: "{") else { throw failure("no object") }
        var open = try enterObject()
        defer { leaveObject(open) }
        if nextToken() == UInt8(ascii: "}") {
            offset += 1
            return
        }
        while true {
            guard nextToken() == UInt8(ascii: "\"") else { throw failure("no name in quotes, where a member begins") }
            let start = offset
            let name = try readString()
            if checksNames { try addName(name, at: start, to: &open) }
            guard nextToken() == UInt8(ascii: ":") else { throw failure("no colon after a name") }
            offset += 1
            try member(&self, name)
            switch nextToken() {
            case UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "}"):
                offset += 1
                return
            default: throw failure("no comma and no end in an object")
            }
        }
    }

    /// Reads an array.
    /// - Parameter element: a closure that is called before each element; it must read the value.
    /// - Throws: ``JSONError``, or the error of `element`.
    @inlinable
    public mutating func readArray(_ element: (inout JSONScanner) throws -> Void) throws {
        guard nextToken() == UInt8(ascii: "[") else { throw failure("no array") }
        try enter()
        defer { leave() }
        if nextToken() == UInt8(ascii: "]") {
            offset += 1
            return
        }
        while true {
            try element(&self)
            switch nextToken() {
            case UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "]"):
                offset += 1
                return
            default: throw failure("no comma and no end in an array")
            }
        }
    }

    /// Checks that only white space follows the value.
    public mutating func finish() throws(JSONError) {
        guard nextToken() == 0, offset == bytes.count else { throw failure("more than one value") }
    }

    @usableFromInline
    mutating func enter() throws(JSONError) {
        offset += 1
        depth += 1
        guard depth <= limits.depth else {
            throw JSONError(.tooMany, "values nested more than \(limits.depth) deep", at: offset)
        }
    }

    @usableFromInline
    mutating func leave() {
        depth -= 1
    }

    // MARK: Names

    /// An object that is being read.
    @usableFromInline
    struct OpenObject {
        /// The index in `starts` of the object's first name.
        @usableFromInline let first: Int
        /// The object's names, if there are more than `fewNames`; otherwise `nil`.
        @usableFromInline var index: Set<[UInt8]>?

        @usableFromInline
        init(first: Int) {
            self.first = first
        }
    }

    /// The maximum number of names of an object that are compared in sequence.
    private static let fewNames = 32

    @usableFromInline
    mutating func enterObject() throws(JSONError) -> OpenObject {
        try enter()
        return OpenObject(first: starts.count)
    }

    @usableFromInline
    mutating func leaveObject(_ object: OpenObject) {
        leave()
        guard starts.count > object.first else { return }
        names.removeLast(names.count - starts[object.first])
        starts.removeLast(starts.count - object.first)
    }

    @usableFromInline
    mutating func addName(_ name: JSONText, at position: Int, to object: inout OpenObject) throws(JSONError) {
        guard checksText else { return }
        guard !name.hasEscapes || limits.allowsEscapedNames else {
            let text = String(decoding: bytes[(position + 1)..<(offset - 1)].prefix(80), as: UTF8.self)
            throw JSONError(.escapedName, "a name with escapes: \(text)", at: position)
        }
        guard name.range.count <= limits.nameLength else {
            throw JSONError(.tooLong, "name of more than \(limits.nameLength) bytes", at: position)
        }
        guard starts.count < limits.names else {
            throw JSONError(.tooMany, "objects of more than \(limits.names) names", at: position)
        }
        let isNew: Bool
        if object.index != nil {
            isNew = object.index?.insert(withBytes(of: name, Array.init)).inserted ?? true
        } else {
            isNew = !hasName(name, since: object.first)
        }
        guard isNew else {
            let text = string(name).prefix(80)
            throw JSONError(.repeatedName, "a name that comes twice in one object: \(text)", at: position)
        }
        starts.append(names.count)
        if name.hasEscapes {
            names.append(contentsOf: scratch[name.range])
        } else {
            names.append(contentsOf: bytes[name.range])
        }
        if object.index == nil, starts.count - object.first > Self.fewNames {
            object.index = Set((object.first..<starts.count).map { Array(names[nameRange($0)]) })
        }
    }

    private func hasName(_ name: JSONText, since first: Int) -> Bool {
        guard first < starts.count else { return false }
        return withBytes(of: name) { bytes in
            (first..<starts.count).contains { place in
                let range = nameRange(place)
                return range.count == bytes.count && names[range].elementsEqual(bytes)
            }
        }
    }

    private func nameRange(_ place: Int) -> Range<Int> {
        starts[place]..<(place + 1 < starts.count ? starts[place + 1] : names.count)
    }

    // MARK: Skipping

    /// Validates and skips a value of any kind.
    /// - Parameter checksText: `false` to check only the grammar, for a value that the caller passes on unchanged.
    ///   Names may then be duplicates and surrogates may be unpaired (RFC 8259, sections 4 and 8.2).
    /// - Returns: the byte range of the value in the input.
    /// - Throws: ``JSONError``.
    @discardableResult
    public mutating func skipValue(checksText: Bool = true) throws -> Range<Int> {
        let checkedBefore = self.checksText
        self.checksText = checkedBefore && checksText
        defer { self.checksText = checkedBefore }
        let token = nextToken()
        let start = offset
        switch token {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "{"): try readObject { scanner, _ in try scanner.skipValue() }
        case UInt8(ascii: "["): try readArray { scanner in try scanner.skipValue() }
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        default: try readNumber()
        }
        return start..<offset
    }

    // MARK: Scalars

    /// Reads `null`.
    /// - Returns: `false` if the value is of another type. Then nothing is read.
    @inlinable
    public mutating func readNull() throws(JSONError) -> Bool {
        guard nextToken() == UInt8(ascii: "n") else { return false }
        try readWord("null")
        return true
    }

    /// Reads `true` or `false`.
    /// - Returns: `nil` if the value is of another type. Then nothing is read.
    public mutating func readBool() throws(JSONError) -> Bool? {
        let token = nextToken()
        guard token == UInt8(ascii: "t") || token == UInt8(ascii: "f") else { return nil }
        try readWord(token == UInt8(ascii: "t") ? "true" : "false")
        return token == UInt8(ascii: "t")
    }

    /// Returns a Boolean value that indicates whether the next value is a number.
    @inlinable
    public mutating func isAtNumber() -> Bool {
        let token = nextToken()
        return token == UInt8(ascii: "-") || token &- UInt8(ascii: "0") < 10
    }

    /// Reads `true`, `false` or `null`.
    @usableFromInline
    mutating func readWord(_ word: StaticString) throws(JSONError) {
        let end = offset + word.utf8CodeUnitCount
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[offset..<end].elementsEqual(letters) else { throw failure("no JSON value") }
        offset = end
    }

    /// Reads a number.
    /// - Returns: the text of the number if it has neither a fraction nor an exponent; otherwise `nil`.
    public mutating func readInteger() throws(JSONError) -> JSONText? {
        let (text, isInteger) = try scanNumber()
        return isInteger ? text : nil
    }

    /// Reads a number.
    /// - Returns: the text of the number (RFC 8259, section 6).
    @discardableResult
    public mutating func readNumber() throws(JSONError) -> JSONText {
        try scanNumber().text
    }

    private mutating func scanNumber() throws(JSONError) -> (text: JSONText, isInteger: Bool) {
        let start = offset
        if peek() == UInt8(ascii: "-") { offset += 1 }
        let hasLeadingZero = peek() == UInt8(ascii: "0")
        guard skipDigits() else { throw failure("no JSON value") }
        if hasLeadingZero, offset - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1) {
            throw failure("number with a leading zero")
        }
        var isInteger = true
        if peek() == UInt8(ascii: ".") {
            offset += 1
            isInteger = false
            guard skipDigits() else { throw failure("no digits after a point") }
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            offset += 1
            isInteger = false
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { offset += 1 }
            guard skipDigits() else { throw failure("no digits in an exponent") }
        }
        return (JSONText(range: start..<offset, hasEscapes: false), isInteger)
    }

    private mutating func skipDigits() -> Bool {
        let start = offset
        while peek() &- UInt8(ascii: "0") < 10 { offset += 1 }
        return offset > start
    }

    // MARK: Strings

    /// Reads a string. The position must be at its opening quote.
    /// - Returns: the string, which is valid until the next string is read.
    @inlinable
    @inline(__always)
    public mutating func readString() throws(JSONError) -> JSONText {
        offset += 1
        let start = offset
        guard try scanToSpecial(from: start) == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        offset += 1
        return JSONText(range: start..<(offset - 1), hasEscapes: false)
    }

    /// Advances to the next quote or backslash of a string, and checks the bytes before it.
    /// - Returns: the quote or the backslash.
    @inlinable
    @inline(__always)
    mutating func scanToSpecial(from start: Int) throws(JSONError) -> UInt8 {
        var high: UInt64 = 0
        while offset < bytes.count {
            // Processes eight bytes at once while none of them is a quote, a backslash or a control character.
            if offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if !Self.hasSpecial(word) {
                    high |= word
                    offset += 8
                    continue
                }
            }
            // Processes the bytes before the special byte or the end.
            while offset < bytes.count {
                let byte = bytes[offset]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    if high & Self.highBits != 0 { try checkUTF8(start..<offset) }
                    return byte
                }
                guard byte >= 0x20 else { throw failure("control character in a string") }
                high |= UInt64(byte)
                offset += 1
            }
        }
        throw failure("string without an end")
    }

    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns a Boolean value that indicates whether one of eight bytes is a quote, a backslash or below 0x20.
    @inlinable
    @inline(__always)
    static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- (ones &* 0x20)) & ~word)
        return found & highBits != 0
    }

    /// Validates a range of bytes in chunks of at most 64 KiB, so that a long range is not copied as a whole.
    @usableFromInline
    func checkUTF8(_ range: Range<Int>) throws(JSONError) {
        var rest = range
        while !rest.isEmpty {
            var end = min(rest.lowerBound + 65_536, rest.upperBound)
            // A chunk does not end within a scalar, which has at most three continuation bytes.
            for _ in 0..<3 where end < rest.upperBound && bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard Self.isUTF8(bytes[rest.lowerBound..<end]) else {
                throw JSONError(.malformed, "string that is no UTF-8", at: rest.lowerBound)
            }
            rest = end..<rest.upperBound
        }
    }

    private static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        if #available(iOS 18, macOS 15, *) { return String(validating: bytes, as: UTF8.self) != nil }
        return isUnrepairedUTF8(bytes)
    }

    /// Validates UTF-8 without `String(validating:as:)`, which needs iOS 18 and macOS 15.
    static func isUnrepairedUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        // Decoding replaces bytes that are not valid by U+FFFD, so that the text has other bytes.
        String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }

    /// Validates and skips a string. The position must be at its opening quote.
    private mutating func skipString() throws(JSONError) {
        offset += 1
        while try scanToSpecial(from: offset) != UInt8(ascii: "\"") {
            offset += 1
            _ = try readEscape()
        }
        offset += 1
    }

    /// Reads a string with escapes again from its first byte, and stores it unescaped.
    @usableFromInline
    mutating func readEscapedString(from start: Int) throws(JSONError) -> JSONText {
        scratch.removeAll(keepingCapacity: true)
        var run = start
        offset = start
        while try scanToSpecial(from: run) != UInt8(ascii: "\"") {
            scratch.append(contentsOf: bytes[run..<offset])
            offset += 1
            scratch.append(contentsOf: UTF8.encode(try readEscape()) ?? UTF8.encodedReplacementCharacter)
            run = offset
        }
        scratch.append(contentsOf: bytes[run..<offset])
        offset += 1
        return JSONText(range: 0..<scratch.count, hasEscapes: true)
    }

    /// Reads the rest of an escape, after the backslash, and returns the scalar that it encodes.
    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        let byte = peek()
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var value = try readFourDigits()
            if 0xD800..<0xDC00 ~= value, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
                bytes[offset + 1] == UInt8(ascii: "u")
            {
                offset += 2
                let low = try readFourDigits()
                guard 0xDC00..<0xE000 ~= low else { return try halfOfSurrogatePair() }
                value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { return try halfOfSurrogatePair() }
            return scalar
        default: throw failure("unknown escape")
        }
    }

    private func halfOfSurrogatePair() throws(JSONError) -> Unicode.Scalar {
        guard !checksText else { throw failure("half a surrogate pair") }
        return "\u{FFFD}"
    }

    private mutating func readFourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(peek())).hexDigitValue else { throw failure("unknown escape") }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: Contents

    /// Calls a closure with the bytes of a string, which are valid UTF-8.
    @inlinable
    @inline(__always)
    public func withBytes<Result>(of text: JSONText, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.hasEscapes
            ? scratch.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[text.range])) }
            : body(UnsafeRawBufferPointer(rebasing: bytes[text.range]))
    }

    /// Returns a Boolean value that indicates whether a string equals a name.
    @inlinable
    @inline(__always)
    public func equals(_ text: JSONText, _ name: StaticString) -> Bool {
        text.range.count == name.utf8CodeUnitCount
            && withBytes(of: text) { bytes in
                var difference: UInt8 = 0
                for index in 0..<bytes.count { difference |= bytes[index] ^ name.utf8Start[index] }
                return difference == 0
            }
    }

    /// Returns a string as a `String`.
    public func string(_ text: JSONText) -> String {
        withBytes(of: text) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns an integer as an `Int64`, or `nil` if it does not fit.
    public func integer(_ text: JSONText) -> Int64? {
        text.range.count <= 20 ? Int64(string(text)) : nil
    }
}
