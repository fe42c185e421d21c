// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// `Content-Disposition` (RFC 6266): whether an answer is to be saved, and as what. A field that cannot be read says nothing.
struct ContentDisposition: Hashable {
    /// Whether the answer is to be saved, and not shown.
    private(set) var isAttachment = false
    /// `filename*` (RFC 8187) where there is one that can be read, or else `filename`. Not to be trusted.
    private(set) var fileName: String?

    /// More than that nobody says.
    private static let lengthLimit = 8_192

    init(_ field: String?) {
        guard let field, field.utf8.count <= Self.lengthLimit else { return }
        var parts = Self.split(field)
        guard !parts.isEmpty else { return }
        isAttachment = Self.blankless(parts.removeFirst()).lowercased() == "attachment"
        var plain: String?
        var extended: String?
        for part in parts {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let value = Self.blankless(part[part.index(after: equals)...])
            switch Self.blankless(part[..<equals]).lowercased() {
            case "filename" where plain == nil: plain = Self.unquoted(value)
            case "filename*" where extended == nil: extended = Self.decoded(value)
            default: continue
            }
        }
        fileName = extended ?? plain
    }

    /// At the semicolons that are not quoted.
    private static func split(_ field: String) -> [Substring] {
        var parts: [Substring] = []
        var start = field.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in field.indices {
            switch field[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted:
                parts.append(field[start..<index])
                start = field.index(after: index)
            default: continue
            }
        }
        return parts + [field[start...]]
    }

    private static func blankless(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return value }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }

    /// `UTF-8''%e2%82%ac.txt`.
    private static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    /// - Returns: `nil` for a `%` without two digits.
    static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
