// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import Foundation

/// Dates in the format of RFC 3339, section 5.6.
enum RFC3339Date {
    /// Returns the date of a text such as `2026-01-31T09:00:00.5+01:00`, or `nil` for other text and for leap seconds.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count >= 20, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let start = text.prefix(19).uppercased() + "Z"
        // The parser also accepts other forms, so the result is compared.
        guard let time = try? Date(start, strategy: .iso8601), time.formatted(.iso8601) == start else { return nil }
        var rest = text.dropFirst(19)
        var seconds = 0.0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
            guard !digits.isEmpty, let fraction = Double("0." + digits) else { return nil }
            seconds = fraction
            rest = rest.dropFirst(1 + digits.count)
        }
        if rest == "Z" || rest == "z" { return time + seconds }
        let parts = rest.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard let sign = rest.first, sign == "+" || sign == "-", parts.count == 2,
            parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { ("0"..."9").contains($0) } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        let offset = Double(hours * 3_600 + minutes * 60)
        return time + seconds + (sign == "+" ? -offset : offset)
    }

    /// Returns the date of a value on the command line.
    static func argument(_ text: String) throws -> Date {
        guard let date = date(text) else {
            throw ValidationError("Not a time of RFC 3339, such as 2026-01-31T08:00:00Z.")
        }
        return date
    }
}
