// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Classes of ASCII bytes, as the URL, HTML and HTTP standards use them. Bytes from 0x80 on are in none of them.
extension UInt8 {
    /// A Boolean value that indicates whether the byte is one of `0` to `9`.
    @inlinable
    public var isASCIIDigit: Bool { self &- 0x30 < 10 }

    /// A Boolean value that indicates whether the byte is an ASCII letter of either case.
    @inlinable
    public var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A Boolean value that indicates whether the byte is an ASCII letter in upper case.
    @inlinable
    public var isASCIIUppercase: Bool { self &- 0x41 < 26 }

    /// A Boolean value that indicates whether the byte is an ASCII letter in lower case.
    @inlinable
    public var isASCIILowercase: Bool { self &- 0x61 < 26 }

    /// A Boolean value that indicates whether the byte is an ASCII letter or digit.
    @inlinable
    public var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// A Boolean value that indicates whether the byte is tab, line feed, form feed, carriage return or space (Infra,
    /// ASCII whitespace).
    @inlinable
    public var isASCIIWhitespace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }

    /// A Boolean value that indicates whether the byte is a space or a tab, which is optional whitespace in field values
    /// (RFC 9110, section 5.6.3).
    @inlinable
    public var isFieldWhitespace: Bool { self == 0x20 || self == 0x09 }

    /// A Boolean value that indicates whether the byte may be in a token (RFC 9110, section 5.6.2).
    @inlinable
    public var isTokenByte: Bool { ASCIISet.token.contains(self) }

    /// The value of a hexadecimal digit of either case, or `nil` for other bytes.
    @inlinable
    public var hexDigitValue: UInt8? {
        if isASCIIDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// A Boolean value that indicates whether the byte is a hexadecimal digit in lower case.
    @inlinable
    public var isLowercaseHexDigit: Bool { isASCIIDigit || self &- 0x61 < 6 }

    /// The byte, an ASCII letter in lower case.
    @inlinable
    public var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}

extension Collection<UInt8> {
    /// Returns a Boolean value that indicates whether the bytes are those of `text`, ASCII letters in either case.
    /// - Parameter text: in lower case.
    @inlinable
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && startsIgnoringCase(text)
    }

    /// Returns a Boolean value that indicates whether the first bytes are those of `text`, ASCII letters in either case.
    /// - Parameter text: in lower case.
    @inlinable
    public func startsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            var index = startIndex
            for byte in text {
                guard index != endIndex, self[index].asciiLowercased == byte else { return false }
                formIndex(after: &index)
            }
            return true
        }
    }
}

extension StringProtocol {
    /// The text with its ASCII letters in lower case and all others as they are.
    @inlinable
    public var asciiLowercased: String {
        guard utf8.contains(where: { $0.isASCIIUppercase }) else { return String(self) }
        return String(decoding: utf8.lazy.map { $0.asciiLowercased }, as: UTF8.self)
    }
}

extension FixedWidthInteger {
    /// Creates a number from ASCII digits, as field values and ports write it: at least one, without a sign.
    ///
    /// - Returns: `nil` for other bytes, for none, and for a number that is too large.
    @inlinable
    public init?(decimalDigits: some Collection<UInt8>) {
        guard !decimalDigits.isEmpty else { return nil }
        var value: Self = 0
        for byte in decimalDigits {
            guard byte.isASCIIDigit else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Self(byte &- 0x30))
            guard !overflows, !overflowsToo else { return nil }
            value = sum
        }
        self = value
    }

    /// Creates a number from ASCII digits, or the largest number if they say more.
    ///
    /// - Returns: `nil` for other bytes, and for none.
    @inlinable
    public init?(saturatingDecimalDigits digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        self = Self(decimalDigits: digits) ?? .max
    }
}
