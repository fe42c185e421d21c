// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import HostLife
internal import PagePrefetch
internal import Prefetch
internal import ResourceStore

extension ContainerConfiguration {
    /// A copy in which no limit exceeds its share of the memory ceiling.
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
