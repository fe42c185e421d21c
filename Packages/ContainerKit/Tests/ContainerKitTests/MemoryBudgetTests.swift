// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HostLife
import Prefetch
import ResourceLoading
import ResourceStore
import Testing

@testable import ContainerKit

@MainActor
@Suite("Memory shares", .timeLimit(.minutes(1)))
struct MemoryBudgetTests {
    @Test("The shares add up to the limit, whatever it is", arguments: [0, 1, 15, 17, 1_000_003, 128 << 20, .max])
    func addUp(ceiling: Int) {
        let shares = MemoryBudget(ceiling: ceiling)
        let parts = [
            shares.bodies, shares.packages, shares.httpCache, shares.prefetch, shares.partial, shares.checked,
        ]
        #expect(parts.reduce(0, +) == ceiling)
        #expect(parts.allSatisfy { $0 >= 0 })
        #expect(MemoryBudget(ceiling: -ceiling - 1) == MemoryBudget(ceiling: 0))
    }

    @Test("An option above its share is reduced, and an option within its share is unchanged")
    func options() async throws {
        let fixture = Fixture()
        let container = try await fixture.container {
            $0.storage.memoryCeiling = 16 << 20
            $0.storage.budgets.memoryCacheBytes = 1 << 20
            $0.network.prefetch = PrefetchOptions()
        }
        let configuration = container.configuration
        #expect(configuration.storage.budgets.memoryCacheBytes == 1 << 20)
        #expect(configuration.network.httpCache?.memoryBytes == 2 << 20)
        #expect(configuration.network.prefetch?.loader.maxBytes == 1 << 20)
        #expect(container.core.bodyBudget.limit == 8 << 20)
        // All defaults are within the default limit.
        let standard = ContainerConfiguration(directory: fixture.folder)
        #expect(standard.sharedOut.storage.budgets.memoryCacheBytes == standard.storage.budgets.memoryCacheBytes)
        #expect(standard.sharedOut.network.httpCache?.memoryBytes == standard.network.httpCache?.memoryBytes)
    }
}
