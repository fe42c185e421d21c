// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import OfflinePackage
import ResourceLoading
import Testing
import WebEngineTesting

@MainActor
@Suite("Memory", .timeLimit(.minutes(1)))
struct MemoryTests {
    private let fixture = Fixture()

    @Test("Under memory pressure reproducible data is released, once for each level")
    func pressure() async throws {
        let conditions = ChangingConditions(HostConditions())
        let container = try await fixture.container {
            $0.conditions = conditions
            $0.views.pool = PoolCapacity(fixed: 1)
        }
        for memory in [HostConditions.Memory.warning, .critical] {
            try await container.warmUp()
            let view = try #require(fixture.engine.views.last)
            #expect(view.isAlive)
            // Changes of other conditions discard no warm view.
            var others = conditions.conditions
            others.isIdle.toggle()
            conditions.set(others)
            let ending = view.discards()
            conditions.set(HostConditions(memory: memory))
            for await _ in ending { break }
            #expect(!view.isAlive)
        }
        #expect(fixture.engine.views.count == 2)
    }
}
