// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a table may ask for.
public struct TableLimits: Sendable, Hashable {
    /// The most bytes of an answer, which is in memory while it is read. Default: 40 MiB; 100,000 entries take 30.
    public var maxBytes = 40 << 20
    /// The most entries. Default: 200,000.
    public var maxEntries = 200_000
    /// The most bytes of a URL. Default: 8,192.
    public var maxURLLength = 8192
    /// The most bytes of a version or a content type. Default: 256.
    public var maxTextLength = 256
    /// The deepest that values may nest, skipped ones included. Default: 32; a table needs 4.
    public var maxDepth = 32

    public init() {}

    public static let `default` = TableLimits()
}
