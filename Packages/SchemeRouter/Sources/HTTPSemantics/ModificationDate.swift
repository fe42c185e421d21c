// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A date as HTTP fields write it, in all three forms that a reader must take (RFC 9110, section 5.6.7).
struct ModificationDate: Comparable {
    /// Seconds since 1970 in UTC.
    let seconds: Int64

    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 40 else { return nil }
        let words = String(text).split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        let parts: (day: String, month: String, year: String, time: String)
        switch (words.count, words.last) {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        case (6, "GMT"): parts = (words[1], words[2], words[3], words[4])
        // Sun Nov  6 08:49:37 1994
        case (5, _): parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        let clock = parts.time.split(separator: ":", omittingEmptySubsequences: false).map { Self.number($0, 2...2) }
        guard let day = Self.number(parts.day, 1...2), (1...31).contains(day),
            let month = Self.months.firstIndex(of: parts.month),
            var year = Self.number(parts.year, 2...4), parts.year.utf8.count != 3,
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        // Two digits: files of the web are not older than it.
        if parts.year.utf8.count == 2 { year += year < 90 ? 2_000 : 1_900 }
        seconds = Self.days(year, month + 1, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    static func < (left: ModificationDate, right: ModificationDate) -> Bool {
        left.seconds < right.seconds
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: some StringProtocol, _ digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Days since 1970-01-01 of a day in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        // Years that begin in March, so that a leap day is their last.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
