// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// http-tests/cache-tests with a shared cache.
@Suite(.timeLimit(.minutes(2)))
struct ConformanceTests {
    /// The required tests that fail, with the reason.
    static let unmetRequired: [String: String] = [
        "interim-not-cached": interim
    ]

    /// The optional tests that fail, with the reason.
    static let unmetOptimal: [String: String] = [
        "interim-102": interim, "interim-103": interim, "interim-no-header-reuse": interim,
        "partial-store-partial-reuse-partial": part, "partial-store-partial-reuse-partial-byterange": part,
        "partial-store-partial-reuse-partial-absent": part, "partial-store-partial-reuse-partial-suffix": part,
        "partial-store-partial-complete": """
        The stored part has no validator, so the remaining bytes could not be merged with it (RFC 9111, section 3.4).
        The complete representation is requested.
        """,
        "conditional-lm-fresh-no-lm": """
        Without Last-Modified, the Date of the stored response is compared (RFC 9111, section 4.3.2). It is later than
        the date of the condition.
        """,
        "vary-normalise-lang-select": """
        The test assumes that Content-Language shows which variant the origin would choose. That choice is specific to
        the origin, so only equivalent field values select the same response.
        """,
    ]

    private static let interim = "Loaders return final responses only, and AsyncHTTPClient drops 1xx responses."
    private static let part = """
        Content-Range announces six bytes, bytes 4-9/10, and five are received. It is unknown which end is wrong, so the
        response is not stored.
        """

    @Test("All required tests of the suite pass, and all optional ones without a documented reason")
    func suite() async throws {
        guard let suites = try ConformanceSuite.load() else {
            print("skipped: ../shared/conformance/http-cache does not exist")
            return
        }
        let tests = suites.flatMap(\.tests).filter(\.isForProxies)
        var verdicts: [String: ConformanceRun.Verdict] = [:]
        for test in tests { verdicts[test.id] = await ConformanceRun(test).verdict() }
        let byID = Dictionary(tests.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        // As in the suite: a test fails if a test that it depends on fails.
        func passes(_ id: String) -> Bool {
            verdicts[id] == .passed && (byID[id]?.dependencies.allSatisfy(passes) ?? false)
        }
        for kind in [ConformanceTest.Kind.required, .optimal, .check] {
            let all = tests.filter { $0.kind == kind }
            let unmet = all.filter { !passes($0.id) }
            print("http-cache conformance: \(kind.rawValue) \(all.count - unmet.count) of \(all.count)")
            for test in unmet { print("    \(test.id): \(verdicts[test.id].map { "\($0)" } ?? "")") }
        }
        let required = tests.filter { $0.kind == .required }
        #expect(required.count(where: { passes($0.id) }) >= 132)
        #expect(Set(required.map(\.id).filter { !passes($0) }) == Set(Self.unmetRequired.keys))
        let optimal = tests.filter { $0.kind == .optimal }
        #expect(Set(optimal.map(\.id).filter { !passes($0) }) == Set(Self.unmetOptimal.keys))
    }
}
