// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The ASCII compatibility of a charset (Encoding standard).
enum TextCharset {
    /// UTF-8.
    case utf8
    /// A byte below 0x80 is an ASCII character; a charset other than UTF-8.
    case ascii
    /// A byte below 0x80 is an ASCII character, unless it is the second byte of a character.
    case twoByte
    /// The charset is not ASCII-compatible.
    case opaque

    /// Creates the value for a charset.
    /// - Parameter label: A label such as `utf-8`.
    init(label: some StringProtocol) {
        let label = label.asciiLowercased
        if ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"].contains(label) {
            self = .utf8
        } else if label.hasPrefix("utf-16") || label.hasPrefix("utf-32") || label == "utf-7" || label == "unicode"
            || label.hasPrefix("iso-2022-") || label == "hz-gb-2312" || label == "csiso2022jp" || label == "ucs-2"
            || label == "iso-10646-ucs-2" || label == "unicodefeff" || label == "unicodefffe" || label == "csunicode"
        {
            self = .opaque
        } else if label.hasPrefix("gb") || label.contains("big5") || label.contains("sjis") || label.contains("shift")
            || label.contains("ms_kanji") || label.contains("euc-kr") || label.contains("ks_c") || label == "chinese"
            || label.contains("korean") || label.hasPrefix("ksc") || label == "windows-949" || label == "ms932"
            || label == "windows-31j" || label == "x-gbk" || label == "cn-big5" || label.hasPrefix("iso-ir-")
            || label == "csgb2312" || label == "csiso58gb231280"
        {
            self = .twoByte
        } else {
            self = .ascii
        }
    }

    /// Creates the value for a charset that a text itself declares.
    /// - Parameter label: A label in ASCII. The text is therefore not UTF-16, so the label `utf-16` counts as UTF-8.
    init(labelInText label: some StringProtocol) {
        self = label.asciiLowercased.hasPrefix("utf-16") ? .utf8 : TextCharset(label: label)
    }

    /// Returns the `charset` parameter of a `Content-Type` value.
    static func label(in type: some Sequence<UInt8>) -> [UInt8]? {
        for parameter in type.split(separator: UInt8(ascii: ";")).dropFirst() {
            let parameter = parameter.drop { $0.isASCIIWhitespace }
            guard parameter.startsIgnoringCase("charset") else { continue }
            var value = parameter.dropFirst(7).drop { $0.isASCIIWhitespace }
            guard value.popFirst() == UInt8(ascii: "=") else { continue }
            return value.filter { !$0.isASCIIWhitespace && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
        }
        return nil
    }
}

/// A decoded text that maps edits back to its source text.
struct DecodedText {
    /// The decoded text. An escaped character beyond ASCII is one byte 0x80, which is never significant.
    private(set) var bytes: [UInt8] = []
    /// The source offset of each decoded byte, and the end offset of the source; empty if both texts are equal.
    private var offsets: [Int] = []
    /// Creates a text that needs no decoding.
    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Creates an empty text for ``append(_:at:)`` and ``end(at:)``.
    init(decodingUpTo capacity: Int) {
        bytes.reserveCapacity(capacity)
        offsets.reserveCapacity(capacity + 1)
    }

    mutating func append(_ byte: UInt8, at offset: Int) {
        bytes.append(byte)
        offsets.append(offset)
    }

    mutating func end(at offset: Int) {
        offsets.append(offset)
    }

    /// Returns the edit of the source text for an edit of the decoded text.
    func written(_ edit: ByteEdit, escaping: (UInt8) -> [UInt8]? = { _ in nil }) -> ByteEdit {
        var range = edit.range
        if !offsets.isEmpty { range = offsets[range.lowerBound]..<offsets[range.upperBound] }
        guard edit.replacement.contains(where: { escaping($0) != nil }) else {
            return ByteEdit(range, edit.replacement)
        }
        return ByteEdit(range, edit.replacement.flatMap { escaping($0) ?? [$0] })
    }
}
