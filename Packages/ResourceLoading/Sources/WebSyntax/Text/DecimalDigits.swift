// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
