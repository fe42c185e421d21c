// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The value of a `Retry-After` field (RFC 9110, section 10.2.3): seconds, or a date.
public struct RetryAfter: Sendable, Hashable {
    /// From now on; never less than zero.
    public let wait: Duration

    /// Reads the value of the field.
    /// - Parameters:
    ///   - field: The field value: a number of seconds, or a date that ``HTTPDate`` reads.
    ///   - now: The time that a date is counted from.
    /// - Returns: `nil` if the value is neither.
    public init?(_ field: String, now: Date) {
        let text = field.trimmingFieldWhitespace
        if let seconds = Int(saturatingDecimalDigits: text.utf8) {
            // More seconds than anyone waits.
            wait = .seconds(min(seconds, 1_000_000_000))
            return
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        wait = max(.zero, .seconds(date.timeIntervalSince(now)))
    }
}
