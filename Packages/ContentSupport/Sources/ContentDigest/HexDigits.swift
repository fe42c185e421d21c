// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The digits of digests.
@usableFromInline
enum HexDigits {
    /// Returns the value of a hexadecimal digit, or `nil` for another character.
    @inlinable
    static func value(of digit: UInt8, allowsUpperCase: Bool) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): allowsUpperCase ? digit - UInt8(ascii: "A") + 10 : nil
        default: nil
        }
    }

    /// Returns the lower-case digit of a value below 16.
    static func digit(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
