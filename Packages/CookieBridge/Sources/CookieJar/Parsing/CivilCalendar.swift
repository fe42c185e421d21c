// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The Gregorian calendar for the years 1601 to 9999, without Foundation's own, which costs a thousand times as much.
enum CivilCalendar {
    /// In lower case.
    static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// - Parameter seconds: of that day.
    /// - Returns: `nil` for a day that is not there.
    static func date(_ year: Int, _ month: Int, _ day: Int, seconds: Int) -> Date? {
        guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(days(year, month, day) * 86_400 + seconds))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func format(_ date: Date) -> String {
        let time = date.timeIntervalSince1970
        // Whatever is no number is as early as can be.
        let seconds = time >= first ? Int(min(time, last).rounded(.down)) : Int(first)
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - day * 86_400
        var year = 1970 + Int((Double(day) / 365.2425).rounded(.down))
        // The guess is at most one year off.
        while days(year, 1, 1) > day { year -= 1 }
        while days(year + 1, 1, 1) <= day { year += 1 }
        var month = 12
        while month > 1, days(year, month, 1) > day { month -= 1 }
        // The first day of the count was a Thursday.
        let name = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(day % 7 + 7) % 7]
        return "\(name), \(two(day - days(year, month, 1) + 1)) \("\(months[month - 1])".capitalized) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    /// The first second of 1601 and the last of 9999.
    private static let (first, last) = (-11_644_473_600.0, 253_402_300_799.0)

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Days since 1970; the months count from March, so that a leap day is a year's last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let fromMarch = (month + 9) % 12
        let year = month <= 2 ? year - 1 : year
        return year * 365 + year / 4 - year / 100 + year / 400 + (153 * fromMarch + 2) / 5 + day - 1 - 719_468
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
