// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// A plan for fetching the missing bytes of an archive: not at all, as ranges, or as the whole archive.
///
/// Each request costs its bytes plus one round trip, which is also counted in bytes. Two ranges are joined if the gap
/// between them costs no more than a round trip. The plan is the whole archive unless ranges save at least an eighth,
/// because only the download of a whole archive can be resumed by a later process.
@_spi(Packaging) public enum RangePlan: Sendable, Hashable {
    /// The store already has all bytes.
    case nothing
    /// The ranges to request, one request each, in ascending order and without overlap.
    case ranges([Range<Int64>])
    /// The whole archive.
    case whole

    /// The costs of requests.
    @_spi(Packaging) public struct Costs: Sendable, Hashable {
        /// The number of bytes that can arrive during one round trip. Default: 32 KiB, which the network profile
        /// slow-4g transfers in 160 ms.
        public var bytesOfRoundTrip: Int64 = 32 << 10
        /// The maximum number of ranges, each of which is one request. Default: 6.
        public var maxRanges = 6

        /// Creates the default costs.
        public init() {}
    }

    /// Creates the plan for ranges of an archive.
    /// - Parameters:
    ///   - missing: the ranges to fetch, in any order; they may overlap.
    ///   - size: the number of bytes of the archive.
    ///   - costs: the cost of a round trip and the maximum number of ranges.
    public init(_ missing: [Range<Int64>], ofArchive size: Int64, costs: Costs = Costs()) {
        let missing = missing.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        guard let first = missing.first else {
            self = .nothing
            return
        }
        // A range outside the archive matches no file on a server. Inside the archive no difference of offsets
        // overflows.
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
        Self.merge(&ranges, downTo: max(costs.maxRanges, 1))
        let cost = ranges.reduce(Int64(0)) { $0.addingSaturated(Int64($1.count)).addingSaturated(roundTrip) }
        let costOfAll = size.addingSaturated(roundTrip)
        self = cost < costOfAll - costOfAll / 8 ? .ranges(ranges) : .whole
    }

    /// Joins ranges over the smallest gaps until at most `count` ranges remain.
    private static func merge(_ ranges: inout [Range<Int64>], downTo count: Int) {
        guard ranges.count > count else { return }
        let gaps = zip(ranges, ranges.dropFirst()).enumerated().map { index, pair in
            (after: index, bytes: pair.1.lowerBound - pair.0.upperBound)
        }
        // The largest gaps stay open. Of two equal gaps, the earlier one stays open.
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

@_spi(Packaging) extension RangePlan {
    /// Creates the plan for the missing files of a package. Empty files need no bytes.
    ///
    /// During a first install, pages are served while the whole archive arrives, and the download can be resumed.
    /// Ranges are therefore used only if the store already has at least half of the packed bytes, from another
    /// package or an earlier version.
    /// - Parameters:
    ///   - missing: files of `manifest`, each digest once.
    ///   - manifest: a validated manifest.
    ///   - isFirst: whether no version of the package is active.
    ///   - costs: the cost of a round trip and the maximum number of ranges.
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

    /// Returns the number of packed bytes. Slices do not overlap, so the sum is at most the size of the archive.
    private static func packedBytes(of files: [PackageManifest.File]) -> Int64 {
        files.reduce(0) { $0 + ($1.slice?.size ?? 0) }
    }
}
