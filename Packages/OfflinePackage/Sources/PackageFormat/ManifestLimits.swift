// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much a manifest may ask for before it is refused.
public struct ManifestLimits: Sendable, Hashable {
    /// The most bytes of JSON. Default: 32 MiB.
    public var maxBytes: Int
    /// The most files. Default: 100,000.
    public var maxFiles: Int
    /// The most bytes that all files together may have. Default: 1 GiB.
    public var maxTotalBytes: Int64
    /// The most bytes of the archive that the manifest names. Default: 1 GiB.
    public var maxArchiveBytes: Int64
    /// The most bytes that one byte of the archive may unpack to, in any file. Default: 200, as for archives.
    public var maxRatio: Int
    /// ``maxRatio`` counts only for files of more than this many bytes. Default: 1 MiB.
    public var ratioFloor: Int64

    public init(
        maxBytes: Int = 32 << 20, maxFiles: Int = 100_000, maxTotalBytes: Int64 = 1 << 30,
        maxArchiveBytes: Int64 = 1 << 30, maxRatio: Int = 200, ratioFloor: Int64 = 1 << 20
    ) {
        self.maxBytes = maxBytes
        self.maxFiles = maxFiles
        self.maxTotalBytes = maxTotalBytes
        self.maxArchiveBytes = maxArchiveBytes
        self.maxRatio = maxRatio
        self.ratioFloor = ratioFloor
    }

    public static let `default` = ManifestLimits()

    /// For a manifest that was read within its limits before, or made in memory.
    static let unbounded = ManifestLimits(
        maxBytes: .max, maxFiles: .max, maxTotalBytes: .max, maxArchiveBytes: .max, maxRatio: .max, ratioFloor: .max)
}
