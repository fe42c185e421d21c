// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The three formats of a date in field values (RFC 9110, section 5.6.7).
public enum HTTPDate {
    /// Parses a date: `Sun, 06 Nov 1994 08:49:37 GMT`, or the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov
    /// 6 08:49:37 1994`. Case is ignored; all other deviations are rejected.
    /// - Parameters:
    ///   - text: the date, without surrounding white space.
    ///   - now: the current time. It determines the century of a two-digit year, which is at most 50 years in the
    ///     future.
    /// - Returns: `nil` if the text has none of these formats, or if the date or time does not exist.
    public static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        let bytes = Array(text.utf8)
        // The longest text is the second format with `Wednesday`.
        guard (24...33).contains(bytes.count) else { return nil }
        if let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
            let rest = bytes[(comma + 1)...]
            if isDay(bytes[..<comma], isShort: true) { return fixed(Array(rest)) }
            if isDay(bytes[..<comma], isShort: false) { return dashed(Array(rest), now: now) }
            return nil
        }
        guard isDay(bytes[..<3], isShort: true) else { return nil }
        return unzoned(Array(bytes[3...]))
    }

    /// Returns a date in the first of the three formats. Fractions of a second are truncated. A date outside the years
    /// 1 to 9999 becomes the first or last second of that range.
    public static func format(_ date: Date) -> String {
        let seconds = Int64(clamped(date.timeIntervalSince1970).rounded(.down))
        let day = seconds.flooredQuotient(by: 86_400)
        let time = seconds - day * 86_400
        let (year, month, dayOfMonth) = CivilCalendar.civil(from: day)
        let weekday = day + 4 - (day + 4).flooredQuotient(by: 7) * 7
        return "\(days[Int(weekday)].prefix(3)), \(padded(dayOfMonth, 2)) \(months[month - 1]) \(padded(year, 4)) "
            + "\(padded(Int(time / 3_600), 2)):\(padded(Int(time / 60 % 60), 2)):\(padded(Int(time % 60), 2)) GMT"
    }

    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses ` 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ text: [UInt8]) -> Date? {
        guard text.count == 25, matches(text, "     ", at: [0, 3, 7, 12, 21]), isGMT(text[22...]) else { return nil }
        return date(
            year: Int(decimalDigits: text[8..<12]), month: month(text[4..<7]), day: Int(decimalDigits: text[1..<3]),
            time: text[13..<21])
    }

    /// Parses ` 06-Nov-94 08:49:37 GMT`.
    private static func dashed(_ text: [UInt8], now: Date) -> Date? {
        guard text.count == 23, matches(text, " --  ", at: [0, 3, 7, 10, 19]), isGMT(text[20...]),
            let short = Int(decimalDigits: text[8..<10])
        else { return nil }
        let current = CivilCalendar.civil(from: Int64(clamped(now.timeIntervalSince1970)).flooredQuotient(by: 86_400))
        var year = current.year - current.year % 100 + short
        if year > current.year + 50 { year -= 100 }
        return date(year: year, month: month(text[4..<7]), day: Int(decimalDigits: text[1..<3]), time: text[11..<19])
    }

    /// Parses ` Nov  6 08:49:37 1994`.
    private static func unzoned(_ text: [UInt8]) -> Date? {
        guard text.count == 21, matches(text, "    ", at: [0, 4, 7, 16]) else { return nil }
        let day = Int(decimalDigits: text[5] == UInt8(ascii: " ") ? text[6..<7] : text[5..<7])
        return date(
            year: Int(decimalDigits: text[17..<21]), month: month(text[1..<4]), day: day, time: text[8..<16])
    }

    private static func matches(_ text: [UInt8], _ letters: String, at places: [Int]) -> Bool {
        zip(places, letters.utf8).allSatisfy { text[$0] == $1 }
    }

    private static func isGMT(_ text: ArraySlice<UInt8>) -> Bool { text.equalsIgnoringCase("gmt") }

    private static func isDay(_ text: ArraySlice<UInt8>, isShort: Bool) -> Bool {
        days.contains { day in
            let name = isShort ? day.prefix(3) : day[...]
            return text.elementsEqual(name.utf8) { $0.asciiLowercased == $1.asciiLowercased }
        }
    }

    private static func month(_ text: ArraySlice<UInt8>) -> Int? {
        CivilCalendar.months.firstIndex { text.equalsIgnoringCase($0) }.map { $0 + 1 }
    }

    /// Returns the date with the given components, or `nil` if a component is missing or out of range.
    /// - Parameter time: the time, such as `08:49:37`; a leap second is accepted.
    private static func date(year: Int?, month: Int?, day: Int?, time: ArraySlice<UInt8>) -> Date? {
        let time = Array(time)
        guard let year, let month, let day, matches(time, "::", at: [2, 5]), let hour = Int(decimalDigits: time[0..<2]),
            let minute = Int(decimalDigits: time[3..<5]), let second = Int(decimalDigits: time[6..<8]), hour < 24,
            minute < 60, second <= 60,
            let seconds = CivilCalendar.seconds(
                year: year, month: month, day: day, seconds: hour * 3_600 + minute * 60 + second)
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Returns the seconds limited to the years 1 to 9999, or 0 for NaN.
    private static func clamped(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
    }
}
