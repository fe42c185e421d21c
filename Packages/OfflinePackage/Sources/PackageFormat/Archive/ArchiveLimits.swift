// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The limits that an archive must not exceed.
public struct ArchiveLimits: Sendable, Hashable {
    /// The maximum number of uncompressed bytes of all files together. Default: 1 GiB.
    public var maxTotalBytes: Int64
    /// The maximum number of entries, including folders. Default: 100,000.
    public var maxEntries: Int
    /// The maximum number of bytes that one compressed byte may unpack to. Default: 200.
    ///
    /// The limit applies to each entry and to the whole archive. Deflate cannot exceed 1,032; text and code stay
    /// under 20.
    public var maxRatio: Int
    /// The number of unpacked bytes up to which ``maxRatio`` does not apply. Default: 1 MiB.
    ///
    /// The exception allows small files of repeated bytes.
    public var ratioFloor: Int64
    /// The maximum number of UTF-8 bytes of a path. Default: 1,024.
    public var maxPathBytes: Int
    /// The maximum number of components of a path, including the file name. Default: 64.
    public var maxDepth: Int

    /// Creates limits.
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

    /// The default limits.
    public static let `default` = ArchiveLimits()

    /// Limits for a path that was checked before.
    static let unbounded = ArchiveLimits(maxPathBytes: .max, maxDepth: .max)

    /// Returns a Boolean value that indicates whether `size` unpacked bytes from `compressed` bytes exceed
    /// ``maxRatio``.
    func isBomb(_ size: Int64, from compressed: Int64) -> Bool {
        guard size > ratioFloor else { return false }
        let (most, overflow) = max(compressed, 1).multipliedReportingOverflow(by: Int64(max(maxRatio, 1)))
        return !overflow && size > most
    }
}

extension Int64 {
    /// Adds a size unless the sum overflows or exceeds a limit.
    /// - Returns: `true` if the size was added.
    mutating func add(_ size: Int64, upTo limit: Int64) -> Bool {
        let (sum, overflow) = addingReportingOverflow(size)
        guard !overflow, sum <= limit else { return false }
        self = sum
        return true
    }

    /// Returns the sum, or `Int64.max` if it overflows.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
