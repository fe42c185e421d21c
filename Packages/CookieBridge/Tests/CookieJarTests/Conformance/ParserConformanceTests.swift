// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

/// Tests of the cases of the IETF http-state working group, which were written for RFC 6265.
@Suite(.timeLimit(.minutes(3)), .enabled(if: ConformanceData.isThere, "skipped: ../shared/conformance is not there"))
struct ParserConformanceTests {
    /// The cases whose expectation the newer draft has changed, with the section of the draft and the cookies sent
    /// according to the draft.
    static let overruled: [String: (section: String, sent: String)] = [
        "0004": (nameless, "foo"),
        "0021": (nameless, "a=b; x; c=d"),
        "0023": (nameless, "foo"),
        "0024": (nameless, "foo"),
        "0025": (nameless, "foo"),
        "0026": (nameless, "foo"),
        "0027": (nameless, "bar"),
        "0028": (nameless, "foo"),
        "CHROMIUM0009": (nameless, "BLAHHH"),
        "CHROMIUM0010": (nameless, #""BLA\"HHH""#),
        "CHROMIUM0012": (nameless, "ABC"),
        "MOZILLA0012": (nameless, #"test="fubar! = foo; five"#),
        "MOZILLA0014": (nameless, "six"),
        "MOZILLA0015": (nameless, "seven"),
        "MOZILLA0016": (nameless, "eight"),
        "MOZILLA0017": (nameless, "eight; test=six"),
        "NAME0017": (nameless, "a=bar"),
        "NAME0023": (nameless, "foo"),
        "NAME0025": (nameless, "==a=bar"),
        "NAME0028": (nameless, "a"),
        "NAME0031": (nameless, #""foo"#),
        "NAME0032": (nameless, #""foo\"bar"#),
        "NAME0033": (nameless, "aaa"),
        "OPTIONAL_DOMAIN0042": (emptyDomain, "foo=bar"),
    ]

    /// A pair without `=`, or with an empty text before `=`, is the value of a nameless cookie. RFC 6265 ignored the
    /// pair.
    private static let nameless = "5.6, step 3"
    /// If the last `Domain` is empty, the cookie is host-only. RFC 6265 used the `Domain` before the empty attribute.
    private static let emptyDomain = "5.6.3, and 5.7, steps 7 and 10"

    @Test func `Every case except the disabled ones`() throws {
        let data = try Data(contentsOf: ConformanceData.folder.appendingPathComponent("parser.json"))
        let cases = try JSONDecoder().decode([ParserCase].self, from: data)
        #expect(cases.count == 222)
        let enabled = cases.filter { !$0.isDisabled }
        #expect(enabled.count == 218)
        for test in enabled {
            let expected =
                Self.overruled[test.test]?.sent ?? test.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            #expect(try sent(test) == expected, "\(test.test): \(test.received)")
        }
        #expect(Set(Self.overruled.keys).isSubset(of: enabled.map(\.test)))
        // Every entry of the table is needed.
        for test in enabled where Self.overruled[test.test] != nil {
            #expect(
                Self.overruled[test.test]?.sent != test.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        print("http-state: \(enabled.count) cases, \(Self.overruled.count) of them by the newer draft")
    }

    private func sent(_ test: ParserCase) throws -> String {
        // The fixed time is before some of the dates in the cases.
        let jar = CookieStore(
            publicSuffixes: TopLevelSuffixes(), now: { Date(timeIntervalSince1970: 1_293_840_000) })
        let name = test.test.lowercased()
        let from = try #require(CookieURL("http://home.example.org:8888/cookie-parser?\(name)"))
        jar.store(setCookies: test.received, from: from)
        let target = test.sentTo ?? "/cookie-parser-result?\(name)"
        let to = try #require(CookieURL(target.hasPrefix("/") ? "http://home.example.org:8888\(target)" : target))
        return jar.cookieHeader(for: to) ?? ""
    }
}
