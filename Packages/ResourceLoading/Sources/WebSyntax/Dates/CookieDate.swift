// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Dates in the `Expires` attribute of cookies (RFC 6265bis, section 5.1.1): any text with a time, a day, a month and
/// a year.
public enum CookieDate {
    /// Parses a date, always as UTC. A time zone in the text is ignored.
    /// - Returns: `nil` if a component is missing, if the year is before 1601, or if the date does not exist.
    public static func parse(_ text: some StringProtocol) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = hms(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, let year else { return nil }
        let full = (70...99).contains(year) ? year + 1_900 : (0...69).contains(year) ? year + 2_000 : year
        guard full >= 1_601, time.hour <= 23, time.minute <= 59, time.second <= 59,
            let seconds = CivilCalendar.seconds(
                year: full, month: month, day: day, seconds: time.hour * 3_600 + time.minute * 60 + time.second)
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Returns a date in the format of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are truncated.
    /// A date outside the years 1601 to 9999, the range of ``parse(_:)``, becomes the first or last second of that
    /// range.
    public static func format(_ date: Date) -> String {
        // NaN is not greater than or equal to `first`, so that it becomes the first second.
        HTTPDate.format(date.timeIntervalSince1970 >= first ? date : Date(timeIntervalSince1970: first))
    }

    /// The first second of 1601.
    private static let first = -11_644_473_600.0

    /// Returns a Boolean value that indicates whether a byte is a `delimiter` of the grammar.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses the production `time`: three numbers of one or two digits, separated by colons. Trailing text is
    /// ignored.
    private static func hms(_ token: some Collection<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[..<2].allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Parses a number at the start of the token whose count of digits is in the range. Trailing text is ignored.
    private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix(while: \.isASCIIDigit)
        return digits.contains(found.count) ? Int(decimalDigits: found) : nil
    }

    private static func monthNumber(_ token: some Collection<UInt8>) -> Int? {
        CivilCalendar.months.firstIndex { token.startsIgnoringCase($0) }.map { $0 + 1 }
    }
}
