// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much an archive may ask for before it is refused.
public struct ArchiveLimits: Sendable, Hashable {
    /// The most bytes that all files together may unpack to. Default: 1 GiB.
    public var maxTotalBytes: Int64
    /// The most entries, folders included. Default: 100,000.
    public var maxEntries: Int
    /// The most bytes that one compressed byte may unpack to, for each entry and for the whole archive.
    /// Default: 200. Deflate cannot pass 1,032; text and code stay under 20.
    public var maxRatio: Int
    /// ``maxRatio`` counts only for more than this many unpacked bytes: a small file of blanks is no bomb.
    /// Default: 1 MiB.
    public var ratioFloor: Int64
    /// The most bytes of UTF-8 in a name. Default: 1,024.
    public var maxPathBytes: Int
    /// The most parts in a name, the file's own included. Default: 64.
    public var maxDepth: Int

    public init(
        maxTotalBytes: Int64 = 1 << 30, maxEntries: Int = 100_000, maxRatio: Int = 200, ratioFloor: Int64 = 1 << 20,
        maxPathBytes: Int = 1_024, maxDepth: Int = 64
    ) {
        self.maxTotalBytes = maxTotalBytes
        self.maxEntries = maxEntries
        self.maxRatio = maxRatio
        self.ratioFloor = ratioFloor
        self.maxPathBytes = maxPathBytes
        self.maxDepth = maxDepth
    }

    public static let `default` = ArchiveLimits()

    /// For a name that was measured before.
    static let unbounded = ArchiveLimits(maxPathBytes: .max, maxDepth: .max)

    /// Whether `size` unpacked bytes out of `compressed` are more than ``maxRatio`` allows.
    func isBomb(_ size: Int64, from compressed: Int64) -> Bool {
        guard size > ratioFloor else { return false }
        let (most, overflow) = max(compressed, 1).multipliedReportingOverflow(by: Int64(max(maxRatio, 1)))
        return !overflow && size > most
    }
}
