// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The rewriter of URLs in JSON strings: keys and values of import maps and of speculation rules.
struct JSONStrings {
    private let bytes: [UInt8]
    private let context: RewritingContext
    private let use: URLReference.Use
    private var edits: [ByteEdit] = []

    static func edits(of bytes: [UInt8], as use: URLReference.Use, in context: RewritingContext) -> [ByteEdit] {
        // The `integrity` of an import map has the real URLs of modules as keys.
        if context.selection == .held, bytes.contains("\"integrity\"".utf8) { return [] }
        var strings = JSONStrings(bytes: bytes, context: context, use: use)
        strings.walk()
        return strings.edits
    }

    private init(bytes: [UInt8], context: RewritingContext, use: URLReference.Use) {
        self.bytes = bytes
        self.context = context
        self.use = use
    }

    private mutating func walk() {
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            guard let (text, end) = string(at: index + 1) else { return }
            defer { index = end + 1 }
            // The keys of an import map are names that modules use.
            if context.selection == .held, isKey(endingAt: end) { continue }
            let urlEdits = URLReference.edits(of: text.bytes, as: use, in: context, isURL: false)
            edits += urlEdits.map { text.written($0, escaping: Self.escape).moved(by: index + 1) }
        }
    }

    /// Returns a Boolean value that indicates whether the string with this closing quote is the key of an object.
    private func isKey(endingAt quote: Int) -> Bool {
        bytes[(quote + 1)...].first { !$0.isASCIIWhitespace } == UInt8(ascii: ":")
    }

    /// Reads the string whose content begins at `start`, up to its end.
    private func string(at start: Int) -> (DecodedText, end: Int)? {
        guard let quote = bytes[start...].firstIndex(where: { "\"\\".utf8.contains($0) }) else { return nil }
        if bytes[quote] == UInt8(ascii: "\"") { return (DecodedText(bytes[start..<quote]), quote) }
        var text = DecodedText(decodingUpTo: 256)
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            let (byte, next) = bytes[index] == UInt8(ascii: "\\") ? escaped(at: index) : (bytes[index], index + 1)
            text.append(byte, at: index - start)
            index = next
        }
        guard index < bytes.count else { return nil }
        text.end(at: index - start)
        return (text, index)
    }

    private func escaped(at index: Int) -> (UInt8, Int) {
        guard index + 1 < bytes.count else { return (0x80, index + 1) }
        switch bytes[index + 1] {
        case UInt8(ascii: "u"):
            let digits = bytes[(index + 2)...].prefix(4).compactMap(\.hexDigitValue)
            guard digits.count == 4 else { return (0x80, index + 2) }
            let value = digits.reduce(0) { $0 * 16 + Int($1) }
            return (value < 0x80 ? UInt8(value) : 0x80, index + 6)
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return (0x20, index + 2)
        case let byte: return (byte, index + 2)
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
        default: nil
        }
    }
}
