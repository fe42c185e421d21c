// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// How the missing bytes of an archive are fetched: not at all, as ranges, or with all the others. A pure function.
///
/// A request costs what its bytes cost and a round trip besides, which is counted in bytes too. So two ranges that lie
/// closer together than a round trip is worth are asked for as one. Where the ranges do not save an eighth the archive is
/// fetched: it can be gone on with after a cut.
public enum RangePlan: Sendable, Hashable {
    /// The store has everything.
    case nothing
    /// One request each, in this order: ascending, apart from each other.
    case ranges([Range<Int64>])
    /// The whole archive.
    case whole

    /// What requests cost.
    public struct Costs: Sendable, Hashable {
        /// The bytes that could arrive during one round trip. Default: 32 KiB, which slow-4g carries in 160 ms.
        public var bytesOfRoundTrip: Int64 = 32 << 10
        /// The most ranges, each a request of its own. Default: 6.
        public var maxRanges = 6

        public init() {}
    }

    /// Plans how to fetch ranges of an archive.
    /// - Parameters:
    ///   - missing: the ranges to fetch, in any order; they may overlap.
    ///   - size: the number of bytes of the archive.
    ///   - costs: the cost of a round trip, and the most requests.
    public init(_ missing: [Range<Int64>], ofArchive size: Int64, costs: Costs = Costs()) {
        let missing = missing.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        guard let first = missing.first else {
            self = .nothing
            return
        }
        // What reaches out of the archive fits no server's file. Inside of it no difference of offsets overflows.
        guard first.lowerBound >= 0, missing.allSatisfy({ $0.upperBound <= size }) else {
            self = .whole
            return
        }
        let roundTrip = max(costs.bytesOfRoundTrip, 0)
        var ranges = [first]
        for range in missing.dropFirst() {
            let last = ranges[ranges.count - 1]
            if range.lowerBound - last.upperBound <= roundTrip {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        Self.close(&ranges, downTo: max(costs.maxRanges, 1))
        let cost = ranges.reduce(0) { Self.sum(Self.sum($0, Int64($1.count)), roundTrip) }
        let costOfAll = Self.sum(size, roundTrip)
        self = cost < costOfAll - costOfAll / 8 ? .ranges(ranges) : .whole
    }

    /// The sum, or the largest number where that is smaller.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// Joins ranges over the smallest gaps until there are so few.
    private static func close(_ ranges: inout [Range<Int64>], downTo count: Int) {
        guard ranges.count > count else { return }
        let gaps = zip(ranges, ranges.dropFirst()).enumerated().map { index, pair in
            (after: index, bytes: pair.1.lowerBound - pair.0.upperBound)
        }
        // The largest stay open; where two are as large, the earlier one.
        let open = Set(gaps.sorted { ($1.bytes, $0.after) < ($0.bytes, $1.after) }.prefix(count - 1).map(\.after))
        var joined: [Range<Int64>] = []
        for (index, range) in ranges.enumerated() {
            if index > 0, !open.contains(index - 1), let last = joined.popLast() {
                joined.append(last.lowerBound..<range.upperBound)
            } else {
                joined.append(range)
            }
        }
        ranges = joined
    }
}

extension RangePlan {
    /// Creates the plan for the missing files of a package. Files without bytes need nothing.
    ///
    /// A first install answers pages while its archive arrives, and goes on after a cut: both are worth more than what
    /// ranges save, unless the store has half of its packed bytes, from another package or an earlier version.
    /// - Parameters:
    ///   - missing: files of `manifest`, each digest once.
    ///   - manifest: a validated one.
    ///   - isFirst: whether no version of the package is active.
    ///   - costs: the cost of a round trip, and the most requests.
    public init(
        _ missing: [PackageManifest.File], of manifest: PackageManifest, isFirst: Bool, costs: Costs = Costs()
    ) {
        let missing = missing.filter { $0.size > 0 }
        guard let archive = manifest.archive, !missing.isEmpty else {
            self = missing.isEmpty ? .nothing : .whole
            return
        }
        if isFirst {
            var seen: Set<SHA256Digest> = []
            let distinct = manifest.files.filter { seen.insert($0.sha256).inserted }
            guard Self.packedBytes(of: missing) <= Self.packedBytes(of: distinct) / 2 else {
                self = .whole
                return
            }
        }
        let slices = missing.compactMap(\.slice)
        guard slices.count == missing.count else {
            self = .whole
            return
        }
        self.init(slices.map { $0.offset..<$0.end }, ofArchive: archive.size, costs: costs)
    }

    /// Slices share no bytes: together they are no more than the archive.
    private static func packedBytes(of files: [PackageManifest.File]) -> Int64 {
        files.reduce(0) { $0 + ($1.slice?.size ?? 0) }
    }
}
