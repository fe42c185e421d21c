// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

/// Tests of RFC 6265bis, section 5.1.1.
@Suite(.timeLimit(.minutes(3)))
struct CookieDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("06 nov 94 8:49:37", 784_111_777),
            ("1994 November 6 08:49:37 +0900", 784_111_777), ("6th Novembre 1994x 08:49:37pm", 784_111_777),
            ("1 Jan 70 0:0:0", 0), ("1 Jan 69 0:0:0", 3_124_224_000), ("29 Feb 2000 00:00:00", 951_782_400),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799),
        ] as [(String, TimeInterval)])
    func `Parses dates in lenient formats`(text: String, seconds: TimeInterval) {
        #expect(CookieDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "never", "06 Nov 1994", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37", "0 Nov 1994 08:49:37",
        "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "29 Feb 1900 00:00:00", "29 Feb 2001 00:00:00",
        "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "31 Dec 1600 23:59:59",
        "06 Nov 199 08:49:37", "06 Nov 19940 08:49:37", "06 Nov 1994 008:49:37", "06 Nov 1994 08:49",
        "06 Nov 1994 8:a9:37",
        "06 Nov 1994 08::37", "06 Nów 1994 08:49:37",
    ])
    func `Rejects texts without a component, and dates that do not exist`(text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test func `A formatted date can be parsed again`() {
        for seconds in stride(from: -11_644_473_600, through: 253_402_300_799, by: 13_247_321) {
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            #expect(CookieDate.parse(CookieDate.format(date)) == date, "\(date)")
        }
    }

    @Test func `Dates outside the supported years become the first or last second`() {
        #expect(CookieDate.format(.distantPast) == "Mon, 01 Jan 1601 00:00:00 GMT")
        #expect(CookieDate.format(Date(timeIntervalSince1970: 1e300)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(CookieDate.format(Date(timeIntervalSince1970: .nan)) == "Mon, 01 Jan 1601 00:00:00 GMT")
        #expect(CookieDate.format(Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }
}
