// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol {
    /// Returns the text as one line that is safe to print in a message or a log.
    ///
    /// Control characters (C0, DEL, C1), bidirectional controls (UAX #9), line and paragraph separators, and U+FEFF
    /// become U+FFFD. Other format characters stay, because words and emoji contain them: joiners and soft hyphens.
    /// - Parameter limit: the maximum number of Unicode scalars of the result; the rest is truncated. No limit by
    ///   default.
    public func printable(limit: Int = .max) -> String {
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { line.append(scalar.isPrintable ? scalar : "\u{FFFD}") }
        return String(line)
    }

    /// Returns the text with each line as ``printable(limit:)`` returns it. Line feeds stay.
    public func printableLines() -> String {
        var lines = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            lines.append(scalar.isPrintable || scalar == "\n" ? scalar : "\u{FFFD}")
        }
        return String(lines)
    }

    /// Returns a JSON text with the characters that ``printable(limit:)`` replaces as `\u` escapes (RFC 8259, section
    /// 7). Its value is the same. Line feeds stay, because in JSON they are only white space.
    public func printableJSON() -> String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard !scalar.isPrintable, scalar != "\n" else {
                text.append(scalar)
                continue
            }
            // Each of these characters is one UTF-16 code unit.
            let digits = String(scalar.value, radix: 16)
            text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether a terminal prints the scalar without any effect on other text.
    fileprivate var isPrintable: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
