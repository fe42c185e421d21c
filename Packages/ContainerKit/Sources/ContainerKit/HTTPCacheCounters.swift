// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPCache

/// What the HTTP cache has counted since the container was opened.
public struct HTTPCacheCounters: Sendable, Hashable {
    /// What it answered with.
    public var requests: CacheCounters
    /// How many bytes its memory level holds.
    public var memoryBytes: Int
    /// Whether it has a disk level; not where none is wanted, or where its folder could not be opened.
    public var isOnDisk: Bool
}
