// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// What a charset means for finding ASCII in a text (Encoding standard).
enum TextCharset {
    /// A byte below 0x80 is a letter of ASCII.
    case ascii
    /// So it is, unless it is the second byte of a letter.
    case twoByte
    /// ASCII cannot be found.
    case opaque

    /// - Parameter label: such as `utf-8`.
    init(label: some StringProtocol) {
        let label = label.lowercased()
        if label.hasPrefix("utf-16") || label.hasPrefix("utf-32") || label == "utf-7" || label == "unicode"
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

    /// - Parameter label: as a document says it in ASCII, so that UTF-16 is not true, and means UTF-8.
    init(labelInText label: some StringProtocol) {
        self = label.lowercased().hasPrefix("utf-16") ? .ascii : TextCharset(label: label)
    }

    /// The `charset` of a `Content-Type`.
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

/// A text behind escapes, with the way back: a change of the text becomes a change of what is written.
struct DecodedText {
    /// The text. What is not ASCII and came from an escape is one byte 0x80: nothing here looks at it.
    private(set) var bytes: [UInt8] = []
    /// For each byte of the text where it is written, and at last where the writing ends; empty where both are the same.
    private var offsets: [Int] = []
    /// A text as it is written.
    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// A text that is about to be decoded with ``append(_:at:)`` and ``end(at:)``.
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

    /// The change of what is written that makes this change of the text.
    func written(_ edit: ByteEdit, escaping: (UInt8) -> [UInt8]? = { _ in nil }) -> ByteEdit {
        var range = edit.range
        if !offsets.isEmpty { range = offsets[range.lowerBound]..<offsets[range.upperBound] }
        guard edit.replacement.contains(where: { escaping($0) != nil }) else {
            return ByteEdit(range, edit.replacement)
        }
        return ByteEdit(range, edit.replacement.flatMap { escaping($0) ?? [$0] })
    }
}
