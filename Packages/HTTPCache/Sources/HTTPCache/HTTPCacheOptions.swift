// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The size, the place and the rules of the HTTP cache between the packages and the network.
///
/// The cache serves requests that reach the container in custom-scheme mode: there the engine keeps nothing on disk.
/// Pages that are not intercepted have the engine's own cache.
public struct HTTPCacheOptions: Sendable {
    /// The maximum number of bytes in memory; 10 MB by default. Zero leaves the cache to the disk.
    public var memoryBytes = 10 << 20
    /// The maximum number of bytes on disk; 100 MB by default. With zero nothing survives the process, and nothing is
    /// written.
    public var diskBytes: Int64 = 100 << 20
    /// The folder of the disk level, which nothing else may use; by default `http-cache` in the container's own. On
    /// Apple's systems a folder under Caches lets the system remove it when the device is full.
    public var directory: String?
    /// The rules and limits of the cache. In the options of a container they are by default those of a private cache, in
    /// which pages of one scheme and registrable domain share entries, as in browsers.
    public var rules: CachingLoader.Configuration

    /// Makes options with the default sizes and folder.
    /// - Parameter rules: the rules and limits of the cache.
    public init(rules: CachingLoader.Configuration) {
        self.rules = rules
    }
}

/// Totals of an HTTP cache since its container was opened.
public struct HTTPCacheCounters: Sendable, Hashable {
    /// The requests, by the source of their response.
    public var requests: CacheCounters
    /// The number of bytes in the memory level.
    public var memoryBytes: Int
    /// A Boolean value that indicates whether there is a disk level. There is none if the options have no disk bytes, or
    /// if the folder could not be opened.
    public var isOnDisk: Bool
}
