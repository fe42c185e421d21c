// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The limits of a prefetch table.
public struct PrefetchLimits: Sendable, Hashable {
    /// The maximum size of a table, in bytes; 1 MiB by default.
    public var maxBytes = 1 << 20
    /// The maximum number of pages; 1,000 by default.
    public var maxPages = 1000
    /// The maximum number of interfaces of one page, and therefore of requests when the page is opened; 32 by default.
    public var maxInterfaces = 32
    /// The maximum length in UTF-8 bytes of a URL in the table, of an opened page, and of a request; 8,192 by default.
    public var maxURLLength = 8192
    /// The maximum size of a configured body, in bytes; 64 KiB by default.
    public var maxBodyBytes = 64 << 10
    /// The maximum length of a version or a method, in UTF-8 bytes; 64 by default.
    public var maxTextLength = 64
    /// The maximum nesting depth, including ignored values; 32 by default.
    public var maxDepth = 32

    /// Creates the default options.
    public init() {}

    /// The default limits.
    public static let `default` = PrefetchLimits()
}
