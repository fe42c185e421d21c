// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Letters as the standards of HTML, CSS and URLs name them.
extension UInt8 {
    /// Tab, line feed, form feed, carriage return, space (Infra, ASCII whitespace).
    var isASCIIWhitespace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }

    var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    var isASCIIDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// The value of a hexadecimal digit.
    var hexDigitValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let lower = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower) ? lower - UInt8(ascii: "a") + 10 : nil
    }

    var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Collection<UInt8> {
    /// Whether these are the letters of `text`, which is in lower case, in either case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && startsIgnoringCase(text)
    }

    /// Whether the first letters are those of `text`, which is in lower case, in either case.
    func startsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard count >= text.count else { return false }
            return zip(self, text).allSatisfy { $0.asciiLowercased == $1 }
        }
    }
}
