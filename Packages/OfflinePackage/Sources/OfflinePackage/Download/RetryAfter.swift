// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The value of a `Retry-After` field (RFC 9110, section 10.2.3): seconds, or a date.
struct RetryAfter: Sendable, Hashable {
    /// From now on; never less than zero.
    let wait: Duration

    init?(_ field: String, now: Date) {
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
