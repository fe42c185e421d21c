// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Non-negative whole seconds in field values (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// What a number that is too large counts as: 2^31 seconds, 68 years.
    static let most = 1 << 31

    /// - Returns: `nil` where there is anything but digits.
    static func parse(_ text: some StringProtocol) -> Int? {
        Int(saturatingDecimalDigits: text.utf8).map { min(most, $0) }
    }
}
