// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPCache

/// The HTTP cache between the packages and the network: how much it keeps, where, and by which rules.
///
/// It stands in the way of requests that reach the container, in custom-scheme mode: there the engine keeps nothing on
/// disk. Pages that are not intercepted have the engine's own cache.
public struct HTTPCacheOptions: Sendable {
    /// The most bytes in memory; 10 MB by default. Zero leaves it to the disk.
    public var memoryBytes = 10 << 20
    /// The most bytes on disk; 100 MB by default. With zero nothing survives the process, and nothing is written.
    public var diskBytes: Int64 = 100 << 20
    /// The folder of the disk level, which nothing else may use; by default `http-cache` in the container's own. On
    /// Apple's systems a folder under Caches lets the system take it when the device is full.
    public var directory: String?
    /// Its rules: by default those of a private cache, in which pages of one scheme and registrable domain share entries,
    /// as in browsers, and others see nothing of them.
    public var rules = CachingLoader.Configuration(partitioning: .registrableDomain)

    /// The default options.
    public init() {}
}
