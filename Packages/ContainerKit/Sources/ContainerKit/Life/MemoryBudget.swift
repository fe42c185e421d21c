// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import PagePrefetch
internal import Prefetch
internal import ResourceStore

/// The container's memory, shared out to those who hold bytes: each has a part of the ceiling as its most.
///
/// The parts add up to the ceiling; the last two are limits of one file at a time. Memory of views is the engine's and not in it, nor are bytes on their way through a
/// pipe, of which each request holds a piece at a time.
public struct MemoryBudget: Sendable, Hashable {
    /// All parts together, in bytes.
    public let ceiling: Int
    /// Bodies on their way from pages to their requests, of all pages together: a half.
    public let bodies: Int
    /// Small files of packages and of the resource table: an eighth.
    public let packages: Int
    /// The HTTP cache's answers: an eighth.
    public let httpCache: Int
    /// What was fetched ahead and waits for its page: a sixteenth.
    public let prefetch: Int
    /// A file of a package that is still on its way, held until it is known to be right: a sixteenth.
    public let partial: Int
    /// A style sheet that is held until it is known to be right: an eighth.
    public let checked: Int

    /// Shares out so many bytes; below zero counts as none.
    public init(ceiling: Int) {
        let ceiling = max(0, ceiling)
        self.ceiling = ceiling
        packages = ceiling / 8
        httpCache = ceiling / 8
        checked = ceiling / 8
        prefetch = ceiling / 16
        partial = ceiling / 16
        bodies = ceiling - packages - httpCache - checked - prefetch - partial
    }
}

extension ContainerConfiguration {
    /// A copy in which no limit is larger than its share of the memory ceiling.
    var sharedOut: Self {
        let shares = MemoryBudget(ceiling: storage.memoryCeiling)
        var shared = self
        shared.storage.budgets.memoryCacheBytes = min(storage.budgets.memoryCacheBytes, shares.packages)
        if let options = network.httpCache {
            shared.network.httpCache?.memoryBytes = min(options.memoryBytes, shares.httpCache)
        }
        if let options = network.prefetch {
            shared.network.prefetch?.loader.maxBytes = min(options.loader.maxBytes, shares.prefetch)
        }
        return shared
    }
}
