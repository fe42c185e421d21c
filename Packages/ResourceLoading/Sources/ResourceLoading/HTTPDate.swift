// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The three spellings of a date in field values (RFC 9110, section 5.6.7).
public enum HTTPDate {
    /// Reads a date: `Sun, 06 Nov 1994 08:49:37 GMT`, or the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`. Letters have no case; nothing else is forgiven.
    /// - Parameter now: decides the century of a year with two digits: at most 50 years ahead.
    public static func parse(_ text: String, now: Date) -> Date? {
        let bytes = Array(text.utf8)
        // The longest is the second with `Wednesday`.
        guard (24...33).contains(bytes.count) else { return nil }
        if let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
            let rest = bytes[(comma + 1)...]
            if comma == 3, isName(bytes[..<3], of: days.map { $0.prefix(3) }) { return fixed(Array(rest)) }
            if isName(bytes[..<comma], of: days.map { $0[...] }) { return dashed(Array(rest), now: now) }
            return nil
        }
        guard isName(bytes[..<3], of: days.map { $0.prefix(3) }) else { return nil }
        return unzoned(Array(bytes[3...]))
    }

    /// The first of the three spellings.
    public static func format(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down).clamped)
        let day = seconds.floorDivided(by: 86_400)
        let time = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(from: day)
        let name = days[Int((day + 4).floorRemainder(by: 7))].prefix(3)
        return "\(name), \(padded(dayOfMonth, 2)) \(months[month - 1]) \(padded(year, 4)) "
            + "\(padded(Int(time / 3_600), 2)):\(padded(Int(time / 60 % 60), 2)):\(padded(Int(time % 60), 2)) GMT"
    }

    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// ` 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ text: [UInt8]) -> Date? {
        guard text.count == 25, matches(text, "     ", at: [0, 3, 7, 12, 21]), zone(text[22...]) else { return nil }
        return date(
            year: number(text[8..<12]), month: month(text[4..<7]), day: number(text[1..<3]), time: text[13..<21])
    }

    /// ` 06-Nov-94 08:49:37 GMT`
    private static func dashed(_ text: [UInt8], now: Date) -> Date? {
        guard text.count == 23, matches(text, " --  ", at: [0, 3, 7, 10, 19]), zone(text[20...]),
            let short = number(text[8..<10])
        else { return nil }
        let current = civil(from: Int64(now.timeIntervalSince1970.clamped).floorDivided(by: 86_400)).year
        var year = current - current % 100 + short
        if year > current + 50 { year -= 100 }
        return date(year: year, month: month(text[4..<7]), day: number(text[1..<3]), time: text[11..<19])
    }

    /// ` Nov  6 08:49:37 1994`
    private static func unzoned(_ text: [UInt8]) -> Date? {
        guard text.count == 21, matches(text, "    ", at: [0, 4, 7, 16]) else { return nil }
        let day = text[5] == UInt8(ascii: " ") ? number(text[6..<7]) : number(text[5..<7])
        return date(year: number(text[17..<21]), month: month(text[1..<4]), day: day, time: text[8..<16])
    }

    private static func matches(_ text: [UInt8], _ letters: String, at places: [Int]) -> Bool {
        zip(places, letters.utf8).allSatisfy { text[$0] == $1 }
    }

    private static func zone(_ text: ArraySlice<UInt8>) -> Bool {
        isName(text, of: ["GMT"])
    }

    private static func isName(_ text: ArraySlice<UInt8>, of names: [Substring]) -> Bool {
        let name = String(decoding: text, as: UTF8.self).lowercased()
        return names.contains { $0.lowercased() == name }
    }

    private static func month(_ text: ArraySlice<UInt8>) -> Int? {
        let name = String(decoding: text, as: UTF8.self).lowercased()
        return months.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        let isDigits = text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isDigits ? Int(String(decoding: text, as: UTF8.self)) : nil
    }

    /// - Parameter time: `08:49:37`; a leap second is let pass.
    private static func date(year: Int?, month: Int?, day: Int?, time: ArraySlice<UInt8>) -> Date? {
        let time = Array(time)
        guard let year, let month, let day, matches(time, "::", at: [2, 5]), let hour = number(time[0..<2]),
            let minute = number(time[3..<5]), let second = number(time[6..<8]), hour < 24, minute < 60, second <= 60,
            day >= 1
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        guard civil(from: days) == (year, month, day) else { return nil }
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)))
    }

    // The proleptic Gregorian calendar in eras of 400 years, each year beginning with March.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(from days: Int64) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), Int(month), Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        )
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    fileprivate func floorRemainder(by divisor: Int64) -> Int64 {
        self - floorDivided(by: divisor) * divisor
    }
}

extension Double {
    /// Within the years 1 to 9999.
    fileprivate var clamped: Double {
        isNaN ? 0 : Swift.min(Swift.max(self, -62_135_596_800), 253_402_300_799)
    }
}
