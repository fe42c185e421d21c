// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The proleptic Gregorian calendar in UTC, as whole seconds since 1970.
enum CivilCalendar {
    /// The abbreviated names of the months in lowercase.
    static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns the number of seconds from 1970 to a date and time.
    /// - Parameter seconds: the seconds since midnight.
    /// - Returns: `nil` if the date does not exist in the calendar.
    static func seconds(year: Int, month: Int, day: Int, seconds: Int) -> Int64? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        guard civil(from: days) == (year, month, day) else { return nil }
        return days * 86_400 + Int64(seconds)
    }

    /// Returns the date of a day, given the number of days since 1970-01-01.
    static func civil(from days: Int64) -> (year: Int, month: Int, day: Int) {
        // An era has 400 years. Each year begins with March, so that a leap day is the last day of a year.
        let days = days + 719_468
        let era = days.flooredQuotient(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), Int(month), Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        )
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = year.flooredQuotient(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Returns the quotient rounded toward negative infinity.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
