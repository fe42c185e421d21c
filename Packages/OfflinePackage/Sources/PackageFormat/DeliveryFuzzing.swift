// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The entry points of the fuzz targets for what a server says about ranges and times.
@_spi(Fuzzing)
public enum DeliveryFuzzing {
    /// Reads any text as a `Content-Range`, and holds what comes of it against what must be true of every one.
    /// - Returns: whether all of it was true; text that is refused is fine.
    public static func contentRangeHolds(_ field: String) -> Bool {
        switch ContentRange(field) {
        case nil: true
        case .unsatisfied(let total): total >= 0 && ContentRange("bytes */\(total)") == .unsatisfied(total: total)
        case .part(let range, let total):
            range.lowerBound >= 0 && !range.isEmpty && total.map { range.upperBound <= $0 } ?? true
                && ContentRange(
                    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")")
                    == .part(range, total: total)
        }
    }

    /// Reads any text as a `Retry-After`.
    /// - Returns: whether the wait is none that no date of four-digit years could ask for; text that is refused is fine.
    public static func retryAfterHolds(_ field: String, now: Date) -> Bool {
        guard let wait = RetryAfter(field, now: now)?.wait else { return true }
        return (.zero ... .seconds(300_000_000_000)).contains(wait)
    }

    /// Reads any text as a date, and holds it against the years that four digits can say.
    /// - Returns: whether it was among them; text that is refused is fine.
    public static func dateHolds(_ field: String, now: Date) -> Bool {
        guard let date = HTTPDate(field, now: now) else { return true }
        return (-62_167_219_200..<253_402_300_800 + 86_400).contains(date.seconds)
    }
}
