// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Dates as cookies have them (RFC 6265bis, section 5.1.1).
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    static func parse(_ text: String) -> Date? {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            // The first token that can be it is it.
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1_900 }
        if (0...69).contains(year) { year += 2_000 }
        guard (1...31).contains(day), year >= 1_601, time[0] <= 23, time[1] <= 59, time[2] <= 59 else { return nil }
        guard day <= days(in: month, of: year) else { return nil }
        let seconds = time[0] * 3_600 + time[1] * 60 + time[2]
        return Date(timeIntervalSince1970: Double(dayNumber(day, month, year) * 86_400 + seconds))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A number of so many digits, and whatever follows that is no digit.
    private static func number(_ token: Substring.UTF8View, _ length: ClosedRange<Int>) -> Int? {
        let digits = token.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard length.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func clock(_ token: Substring.UTF8View) -> [Int]? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit) else { return nil }
        let numbers = parts.compactMap { number($0, 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        months.firstIndex(of: String(decoding: token.prefix(3), as: UTF8.self).lowercased()).map { $0 + 1 }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Days since 1970 in the Gregorian calendar.
    private static func dayNumber(_ day: Int, _ month: Int, _ year: Int) -> Int {
        // Years begin in March, so that the leap day is their last.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
