// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a prefetch table may ask for.
public struct PrefetchLimits: Sendable, Hashable {
    /// The most bytes of a table. Default: 1 MiB.
    public var maxBytes = 1 << 20
    /// The most pages. Default: 1,000.
    public var maxPages = 1000
    /// The most interfaces of one page, and so the most requests of one open. Default: 32.
    public var maxInterfaces = 32
    /// The most UTF-8 bytes of a URL, of the table, of a page that is opened, and of a request. Default: 8,192.
    public var maxURLLength = 8192
    /// The most bytes of a configured body. Default: 64 KiB.
    public var maxBodyBytes = 64 << 10
    /// The most UTF-8 bytes of a version or a method. Default: 64.
    public var maxTextLength = 64
    /// The deepest that values may nest, those that are ignored included. Default: 32.
    public var maxDepth = 32

    public init() {}

    public static let `default` = PrefetchLimits()
}
