// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Conversions between digest bytes and hexadecimal digits.
@usableFromInline
enum HexDigits {
    /// Returns the value of a hexadecimal digit, or 16 for another character.
    ///
    /// The caller combines the results with OR and checks them once at the end. The single check avoids a branch for
    /// each digit: tables and manifests have up to a hundred thousand digests.
    @inlinable
    @inline(__always)
    static func value(of digit: UInt8, allowsUpperCase: Bool) -> UInt8 {
        let number = digit &- UInt8(ascii: "0")
        if number < 10 { return number }
        let letter = (allowsUpperCase ? digit | 0x20 : digit) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : 16
    }

    /// Returns the lowercase digit of a value below 16.
    static func digit(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
