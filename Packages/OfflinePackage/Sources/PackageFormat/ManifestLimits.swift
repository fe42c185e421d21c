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

    public init(maxBytes: Int = 32 << 20, maxFiles: Int = 100_000, maxTotalBytes: Int64 = 1 << 30) {
        self.maxBytes = maxBytes
        self.maxFiles = maxFiles
        self.maxTotalBytes = maxTotalBytes
    }

    public static let `default` = ManifestLimits()
}
