// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a cache has counted since it was made. Each GET and HEAD that it answered is counted once, by where the answer
/// came from.
public struct CacheCounters: Sendable, Hashable {
    /// Answers from memory.
    public var memoryHits = 0
    /// Answers from disk.
    public var diskHits = 0
    /// How many of the hits the origin was asked about first.
    public var validated = 0
    /// Answers that others had asked for, and that were shared while they came.
    public var shared = 0
    /// Answers of the next loader.
    public var misses = 0
    /// Readers of a shared answer that were too slow for the others and went on alone.
    public var detached = 0

    public init() {}
}
