// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much rules may ask for. They come from the network, and are asked before each request.
public struct RouteLimits: Sendable, Hashable {
    /// Bytes of a document. Default: 2 MiB.
    public var maxBytes = 2 << 20
    /// Rules and entries of the deny list, together. Default: 10,000.
    public var maxRules = 10_000
    /// UTF-8 bytes of one pattern, host, method or page. Default: 256.
    public var maxTextLength = 256
    /// Methods of a rule, and pages of a rule. Default: 32 each.
    public var maxListCount = 32
    /// Positions of the path patterns that one host may meet, where they are more than a fixed path or a folder: what one
    /// request may cost at most is this number times the bytes of its path. Default: 32,768.
    public var maxPositions = 32_768
    /// Positions of all path patterns together: what the rules may take of memory. Default: 262,144, some 8 MB.
    public var maxTotalPositions = 262_144

    public init() {}
}
