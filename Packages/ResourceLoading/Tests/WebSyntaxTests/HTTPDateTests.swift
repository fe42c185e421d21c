// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(
        "The three formats describe the same time",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "SUN, 06 nov 1994 08:49:37 gmt",
        ])
    func spellings(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("A two-digit year is at most fifty years in the future")
    func century() {
        #expect(
            HTTPDate.parse("Thursday, 18-Aug-50 02:01:18 GMT", now: now) == Date(timeIntervalSince1970: 2_544_400_878))
        #expect(HTTPDate.parse("Tuesday, 18-Aug-81 02:01:18 GMT", now: now) == Date(timeIntervalSince1970: 366_948_078))
    }

    @Test(
        "Other texts are not dates",
        arguments: [
            "", "0", "-1", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 50 02:01:18 GMT",
            "Thu 18 Aug 2050 02:01:18 GMT",
            "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
            "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 31 Feb 2050 02:01:18 GMT", "Thu, 18 Aug 2050 24:00:00 GMT",
            "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:19 GMT", "Thü, 18 Aug 2050 02:01:18 GM",
            ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
        ])
    func none(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test("Formatted dates of all years can be parsed again")
    func roundTrip() {
        for seconds in stride(from: -62_135_596_800, through: 253_402_300_799, by: 86_399 * 997) {
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date)
        }
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
