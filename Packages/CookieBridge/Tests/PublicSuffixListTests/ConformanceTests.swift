// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PublicSuffixList
import Testing

/// Tests of the lines of publicsuffix.org's own test.
@Suite(.timeLimit(.minutes(3)))
struct ConformanceTests {
    @Test(.enabled(if: ConformanceData.isThere, "skipped: ../shared/conformance/publicsuffix is not there"))
    func `Every line of the list's own test`() throws {
        let text = try String(contentsOf: ConformanceData.file, encoding: .utf8)
        let list = SuffixList()
        var count = 0
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("checkPublicSuffix(") {
            let arguments = line.dropFirst("checkPublicSuffix(".count).prefix { $0 != ")" }.split(separator: ", ")
                .map { $0 == "null" ? nil : String($0.dropFirst().dropLast()) }
            try #require(arguments.count == 2)
            count += 1
            guard let host = arguments[0] else { continue }
            #expect(list.registrableDomain(of: host) == arguments[1], "\(line)")
        }
        #expect(count > 70)
        print("publicsuffix: \(count) lines")
    }
}
