// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Dates as servers write them in cookies (RFC 6265bis, section 5.1.1): almost anything with a time, a day, a month and a
/// year in it.
public enum CookieDate {
    /// Reads a date, in UTC whatever its text says about zones.
    /// - Returns: `nil` if a part is missing, for a year before 1601, and for a day that the calendar lacks.
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

    /// Writes a date as RFC 9110 has it: `Sun, 06 Nov 1994 08:49:37 GMT`. Parts of seconds are cut off; a date outside of
    /// the years 1601 to 9999, which ``parse(_:)`` reads, becomes their first or last second.
    public static func format(_ date: Date) -> String {
        // A date that is no number is before the first one.
        HTTPDate.format(date.timeIntervalSince1970 >= first ? date : Date(timeIntervalSince1970: first))
    }

    /// The first second of 1601.
    private static let first = -11_644_473_600.0

    /// `delimiter`
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// `time`: three numbers of one or two digits with colons between them; what follows is ignored.
    private static func hms(_ token: some Collection<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[..<2].allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// A number of so many digits at the token's start. The byte after it is not a digit; what follows is ignored.
    private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix(while: \.isASCIIDigit)
        return digits.contains(found.count) ? Int(decimalDigits: found) : nil
    }

    private static func monthNumber(_ token: some Collection<UInt8>) -> Int? {
        CivilCalendar.months.firstIndex { token.startsIgnoringCase($0) }.map { $0 + 1 }
    }
}
