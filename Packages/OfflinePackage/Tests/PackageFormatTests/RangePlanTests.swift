// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite(.timeLimit(.minutes(1)))
struct RangePlanTests {
    static let size: Int64 = 5_000_000

    @Test func noMissingFilesNeedNoRanges() {
        #expect(RangePlan([], ofArchive: 100) == .nothing)
        #expect(RangePlan([5..<5], ofArchive: 100) == .nothing)
    }

    @Test func oneMissingFileNeedsOneRange() {
        #expect(RangePlan([100..<200], ofArchive: Self.size) == .ranges([100..<200]))
    }

    @Test func joinsRangesOverCheapGaps() {
        let missing: [Range<Int64>] = [200_000..<210_000, 0..<10, 232_768 + 10_000..<250_000, 40..<50, 5..<30]
        #expect(RangePlan(missing, ofArchive: Self.size) == .ranges([0..<50, 200_000..<250_000]))
        var costs = RangePlan.Costs()
        costs.bytesOfRoundTrip = 32_767
        #expect(
            RangePlan(missing, ofArchive: Self.size, costs: costs)
                == .ranges([0..<50, 200_000..<210_000, 242_768..<250_000]))
    }

    @Test func limitsNumberOfRanges() {
        let missing = (0..<20).map { index -> Range<Int64> in
            let start = Int64(index) * 200_000
            return start..<start + 10 + Int64(index)
        }
        guard case .ranges(let ranges) = RangePlan(missing, ofArchive: 100_000_000) else {
            Issue.record("not ranges")
            return
        }
        #expect(ranges.count == 6)
        for range in missing {
            #expect(ranges.contains { $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound })
        }
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }

    @Test func usesWholeArchiveIfRangesAreNotCheaper() {
        #expect(RangePlan([0..<Self.size], ofArchive: Self.size) == .whole)
        #expect(RangePlan([0..<Self.size * 7 / 8], ofArchive: Self.size) == .whole)
        #expect(RangePlan([0..<4_300_000], ofArchive: Self.size) == .ranges([0..<4_300_000]))
        #expect(RangePlan([0..<4_300_000, 4_400_000..<4_480_000], ofArchive: Self.size) == .whole)
        // A slice outside the archive matches no file on a server.
        #expect(RangePlan([Self.size - 10..<Self.size + 1], ofArchive: Self.size) == .whole)
    }

    /// Tests that unvalidated sizes give a plan and do not trap.
    @Test func boundarySizesAreSupported() {
        #expect(RangePlan([0..<10], ofArchive: .max) == .ranges([0..<10]))
        #expect(RangePlan([0..<10, .max - 10 ..< .max], ofArchive: .max) == .ranges([0..<10, .max - 10 ..< .max]))
        #expect(RangePlan([0..<Int64.max], ofArchive: .max) == .whole)
        for missing in [[Int64.min..<0, 0..<Int64.max], [-1..<5], [Int64.min ..< .max], [0..<5, 5..<101]] {
            #expect(RangePlan(missing, ofArchive: 100) == .whole)
        }
        #expect(RangePlan([0..<10], ofArchive: .min) == .whole)
        var costs = RangePlan.Costs()
        costs.bytesOfRoundTrip = .max
        #expect(RangePlan([0..<10, 90..<100], ofArchive: 100, costs: costs) == .whole)
        costs.bytesOfRoundTrip = .min
        #expect(RangePlan([0..<10], ofArchive: 100, costs: costs) == .ranges([0..<10]))
    }

    /// Compares the cost of the plan with the cost of every way to join the ranges.
    @Test(arguments: 0..<300 as Range<UInt64>) func joiningIsOptimal(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var costs = RangePlan.Costs()
        costs.bytesOfRoundTrip = Int64.random(in: 1...60, using: &generator)
        costs.maxRanges = Int.random(in: 1...4, using: &generator)
        var missing: [Range<Int64>] = []
        var end: Int64 = 0
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let start = end + Int64.random(in: 1...100, using: &generator)
            end = start + Int64.random(in: 1...50, using: &generator)
            missing.append(start..<end)
        }
        let size = end + 10
        let whole = size + costs.bytesOfRoundTrip
        let enough = whole - whole / 8
        var best = whole
        for mask in 0..<(1 << (missing.count - 1)) {
            var joined = [missing[0]]
            for (index, range) in missing.enumerated().dropFirst() {
                if mask & 1 << (index - 1) != 0 {
                    joined[joined.count - 1] = joined[joined.count - 1].lowerBound..<range.upperBound
                } else {
                    joined.append(range)
                }
            }
            guard joined.count <= costs.maxRanges else { continue }
            best = min(best, joined.reduce(0) { $0 + Int64($1.count) + costs.bytesOfRoundTrip })
        }
        switch RangePlan(missing.shuffled(using: &generator), ofArchive: size, costs: costs) {
        case .nothing: Issue.record("nothing")
        case .whole: #expect(best >= enough)
        case .ranges(let ranges):
            #expect(best < enough)
            #expect(ranges.reduce(0) { $0 + Int64($1.count) + costs.bytesOfRoundTrip } == best)
        }
    }
}
