// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

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
        let text = field.drop { $0 == " " || $0 == "\t" }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than this are more seconds than anyone waits.
            wait = .seconds(text.utf8.count > 9 ? 1_000_000_000 : Int(text) ?? 1_000_000_000)
            return
        }
        guard let date = HTTPDate.parse(String(text), now: now) else { return nil }
        wait = max(.zero, .seconds(date.timeIntervalSince(now)))
    }
}
