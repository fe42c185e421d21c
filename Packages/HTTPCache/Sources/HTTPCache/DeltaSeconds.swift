// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Non-negative whole seconds in field values (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// What a number that is too large counts as: 2^31 seconds, 68 years.
    static let most = 1 << 31

    /// - Returns: `nil` where there is anything but digits.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.utf8.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = min(most, value * 10 + Int(byte - UInt8(ascii: "0")))
        }
        return value
    }
}
