// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The value of a `Retry-After` field (RFC 9110, section 10.2.3): a number of seconds or a date.
public struct RetryAfter: Sendable, Hashable {
    /// The time to wait from now on, not negative.
    public let wait: Duration

    /// Creates a value from a field.
    /// - Parameters:
    ///   - field: the field value: a number of seconds, or a date that ``HTTPDate`` parses.
    ///   - now: the current time, which a date is relative to.
    /// - Returns: `nil` if the value is neither a number nor a date.
    public init?(_ field: String, now: Date) {
        let text = field.trimmingFieldWhitespace
        if let seconds = Int(saturatingDecimalDigits: text.utf8) {
            // Larger numbers are truncated: no caller waits for more than 30 years.
            wait = .seconds(min(seconds, 1_000_000_000))
            return
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        wait = max(.zero, .seconds(date.timeIntervalSince(now)))
    }
}
