// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(3)), .enabled(if: ConformanceData.isThere, "skipped: ../shared/conformance is not there"))
struct DateConformanceTests {
    struct Case: Decodable {
        let test: String
        let expected: String?
    }

    @Test(arguments: [("examples.json", 10), ("bsd-examples.json", 50)])
    func `Every date of the suite`(file: String, atLeast: Int) throws {
        let text = try String(
            contentsOf: ConformanceData.folder.appendingPathComponent("dates/\(file)"), encoding: .utf8)
        // One of the files has a licence in comment lines.
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("//") }
        let cases = try JSONDecoder().decode([Case].self, from: Data(lines.joined(separator: "\n").utf8))
        #expect(cases.count >= atLeast)
        for test in cases {
            #expect(CookieDate.parse(test.test).map(CookieDate.format) == test.expected, "\(test.test)")
        }
        print("http-state: \(cases.count) dates of \(file)")
    }
}
