// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CommandSupport
import Testing

@testable import container_benchmarks

/// The verdict of `make bench` on missed bars, with fixed values instead of measurements.
@Suite("Bars of the benchmarks", .timeLimit(.minutes(1)))
struct BenchmarkTests {
    private func comparison(_ name: String, _ ours: Double, _ theirs: Double?, bar: Double?) -> Comparison {
        Comparison(name: name, reference: "unzip 6.00", ours: ours, theirs: theirs, unit: "ms", bar: bar)
    }

    @Test("Bars that are met and results without a bar pass")
    func kept() throws {
        let results = [
            comparison("a", 5, 10, bar: 0.5), comparison("b", 9, nil, bar: 9), comparison("c", 9, 1, bar: nil),
        ]
        #expect(throws: Never.self) { try Verdict.check(results) }
        #expect(throws: Never.self) { try Verdict.check([]) }
        #expect(ComparisonTable(results).text.contains("MISSED") == false)
    }

    @Test("Missed bars are listed in one line, with exit status 1")
    func missed() throws {
        let results = [
            comparison("install, disk", 6, 10, bar: 0.5), comparison("a", 5, 10, bar: 0.5),
            comparison("look-up, p50", 9, nil, bar: 5), comparison("c", 9, 1, bar: nil),
        ]
        let error = #expect(throws: CommandError.self) { try Verdict.check(results) }
        #expect(error?.status.rawValue == 1)
        #expect(
            error?.description
                == "error: bar-missed: 2 of 3 bars: install, disk against unzip 6.00; look-up, p50")
        #expect(ComparisonTable(results).text.split(separator: "\n").filter { $0.contains("MISSED") }.count == 2)
    }
}
