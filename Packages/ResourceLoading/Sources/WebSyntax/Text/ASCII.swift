// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Classes of ASCII bytes that the URL, HTML and HTTP standards use. Bytes from 0x80 on belong to none of them.
extension UInt8 {
    /// A Boolean value that indicates whether the byte is one of `0` to `9`.
    @inlinable
    public var isASCIIDigit: Bool { self &- 0x30 < 10 }

    /// A Boolean value that indicates whether the byte is an ASCII letter of either case.
    @inlinable
    public var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A Boolean value that indicates whether the byte is an uppercase ASCII letter.
    @inlinable
    public var isASCIIUppercase: Bool { self &- 0x41 < 26 }

    /// A Boolean value that indicates whether the byte is a lowercase ASCII letter.
    @inlinable
    public var isASCIILowercase: Bool { self &- 0x61 < 26 }

    /// A Boolean value that indicates whether the byte is an ASCII letter or digit.
    @inlinable
    public var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// A Boolean value that indicates whether the byte is ASCII whitespace: tab, line feed, form feed, carriage return
    /// or space (Infra).
    @inlinable
    public var isASCIIWhitespace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }

    /// A Boolean value that indicates whether the byte is a space or a tab, the optional white space in field values
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

    /// A Boolean value that indicates whether the byte is a lowercase hexadecimal digit.
    @inlinable
    public var isLowercaseHexDigit: Bool { isASCIIDigit || self &- 0x61 < 6 }

    /// The byte, with an uppercase ASCII letter converted to lowercase.
    @inlinable
    public var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}

extension Collection<UInt8> {
    /// Returns a Boolean value that indicates whether the bytes equal `text`, ignoring the case of ASCII letters.
    /// - Parameter text: the text in lowercase.
    @inlinable
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && startsIgnoringCase(text)
    }

    /// Returns a Boolean value that indicates whether the bytes start with `text`, ignoring the case of ASCII letters.
    /// - Parameter text: the text in lowercase.
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
    /// The text with its ASCII letters converted to lowercase. Other characters stay unchanged.
    @inlinable
    public var asciiLowercased: String {
        guard utf8.contains(where: { $0.isASCIIUppercase }) else { return String(self) }
        return String(decoding: utf8.lazy.map { $0.asciiLowercased }, as: UTF8.self)
    }
}

extension FixedWidthInteger {
    /// Creates a number from one or more ASCII digits without a sign, the format of field values and ports.
    ///
    /// - Returns: `nil` for other bytes, for an empty collection, and for a number that is too large.
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

    /// Creates a number from one or more ASCII digits, or the largest number if the value is too large.
    ///
    /// - Returns: `nil` for other bytes and for an empty collection.
    @inlinable
    public init?(saturatingDecimalDigits digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        self = Self(decimalDigits: digits) ?? .max
    }
}
