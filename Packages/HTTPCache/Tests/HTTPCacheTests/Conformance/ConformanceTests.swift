// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

/// http-tests/cache-tests against a shared cache.
@Suite(.timeLimit(.minutes(2)))
struct ConformanceTests {
    /// Required tests that do not pass, and why.
    static let unmetRequired: [String: String] = [
        "interim-not-cached": interim
    ]

    /// Optimal tests that do not pass, and why.
    static let unmetOptimal: [String: String] = [
        "interim-102": interim, "interim-103": interim, "interim-no-header-reuse": interim,
        "partial-store-partial-reuse-partial": part, "partial-store-partial-reuse-partial-byterange": part,
        "partial-store-partial-reuse-partial-absent": part, "partial-store-partial-reuse-partial-suffix": part,
        "partial-store-partial-complete": """
        The stored part has no validator, so what comes for the rest could not be put together with it (RFC 9111,
        section 3.4): the whole is asked for.
        """,
        "conditional-lm-fresh-no-lm": """
        Without Last-Modified the stored response's Date is compared (RFC 9111, section 4.3.2), and it is later than
        the condition.
        """,
        "vary-normalise-lang-select": """
        Takes Content-Language for what the origin would choose. How it chooses is the origin's own affair, so only
        spellings that mean the same select the same response.
        """,
    ]

    private static let interim = "A response is final: loaders hand up no 1xx, and AsyncHTTPClient drops them."
    private static let part = """
        Content-Range says six bytes, bytes 4-9/10, and five come. Which of its ends is wrong nobody knows, so it is not
        stored.
        """

    @Test("The suite's required tests pass, and every optimal one unless a choice stands against it")
    func suite() async throws {
        guard let suites = try ConformanceSuite.load() else {
            print("skipped: ../shared/conformance/http-cache is not there")
            return
        }
        let tests = suites.flatMap(\.tests).filter(\.isForProxies)
        var verdicts: [String: ConformanceRun.Verdict] = [:]
        for test in tests { verdicts[test.id] = await ConformanceRun(test).verdict() }
        let byID = Dictionary(tests.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        // As in the suite: what stands on a test that does not pass has not passed.
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
