// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@Suite("Retry-After", .timeLimit(.minutes(1)))
struct RetryAfterTests {
    /// 2026-11-21T12:00:00Z
    private let now = Date(timeIntervalSince1970: 1_795_262_400)

    @Test(
        "Seconds and dates are parsed, and other values are rejected",
        arguments: [
            ("120", 120), ("0", 0), (" 5", 5), ("99999999999999999999", 1_000_000_000),
            ("Sat, 21 Nov 2026 12:02:00 GMT", 120), ("Saturday, 21-Nov-26 12:00:30 GMT", 30),
            ("Sat Nov 21 12:00:01 2026", 1), ("Fri, 20 Nov 2026 12:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("-5", nil), ("1.5", nil), ("soon", nil), ("", nil),
            ("Sat, 21 Nov 2026 25:00:00 GMT", nil), ("Sat, 21 Nox 2026 12:00:00 GMT", nil),
            ("Sat, 00 Nov 2026 12:00:00 GMT", nil),
        ] as [(String, Int?)])
    func read(_ field: String, _ seconds: Int?) {
        #expect(RetryAfter(field, now: now)?.wait == seconds.map { .seconds($0) })
    }
}
