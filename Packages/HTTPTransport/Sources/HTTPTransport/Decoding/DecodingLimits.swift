// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much a body may grow when its content codings are removed. One that grows more is an attack, not a file.
public struct DecodingLimits: Sendable, Hashable {
    /// The most bytes that one body may decode to; 256 MiB by default.
    public var bytes: Int64 = 256 << 20
    /// How many times larger than what was sent; 200 by default. Text shrinks to a tenth, logs and empty pictures to
    /// a hundredth; deflate comes to 1,032 at most, twice applied to a million.
    public var ratio: Int64 = 200
    /// Bytes up to which the ratio is not looked at; 8 MiB by default.
    public var ratioFloor: Int64 = 8 << 20
    /// Codings on top of each other; 4 by default.
    public var codings = 4

    public init() {}
}
