// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Logging
import PagePrefetch
import Prefetch
import ResourceLoading
import ResourceStore
import Testing
import WebEngineTesting

/// The prefetch table service with a store and a loader, without a container.
@MainActor
@Suite("Prefetch table service", .timeLimit(.minutes(1)))
struct PrefetchTableServiceTests {
    private let source = "https://config.example/prefetch"
    private let folder: TemporaryFolder
    private let store: BlobStore
    private let network = FakeLoader()
    private let stage: PrefetchStage

    init() throws {
        folder = try TemporaryFolder()
        store = try BlobStore(directory: folder.path + "/store")
        stage = try PrefetchStage { $0.table = nil }
    }

    private func service(
        _ url: String? = nil, conditions: any HostConditioning = ChangingConditions(HostConditions()),
        clock: some Clock<Duration> = ContinuousClock(),
        receive: @escaping @MainActor (PrefetchTableCheck) -> Void = { _ in }
    ) -> PrefetchTableService {
        PrefetchTableService(
            PrefetchTableSource(url: url ?? source), for: stage.prefetchers, network: network, store: store,
            conditions: conditions, logger: Logger(label: "test"), clock: clock, receive: receive)
    }

    @Test("The table is requested after the interval, once at a time, and never without a network")
    func intervals() async throws {
        network.put(.bytes(PrefetchStage.json("2")), at: source)
        let clock = ManualClock()
        let conditions = ChangingConditions(HostConditions(network: .none))
        var received: [PrefetchTableCheck] = []
        let service = service(conditions: conditions, clock: clock) { received.append($0) }
        service.check()
        #expect(service.counters.checks == 0)
        conditions.set(HostConditions())
        service.check()
        service.check()
        #expect(service.counters.checks == 1)
        try await until { received.count == 1 }
        clock.advance(by: .seconds(599))
        service.check()
        #expect(service.counters.checks == 1)
        clock.advance(by: .seconds(1))
        network.put(.bytes(Data()), at: source)
        service.check()
        try await until { received.count == 2 }
        clock.advance(by: .seconds(29))
        service.check()
        #expect(service.counters.checks == 2)
        clock.advance(by: .seconds(1))
        service.check()
        #expect(service.counters.checks == 3)
        try await until { received.count == 3 }
        #expect(service.counters.applied == 1 && service.counters.failures == 2)
        #expect(stage.prefetchers.table?.version == "2")
        await service.shutDown()
    }

    @Test("A table applies at once and in the next launch, but not if another server sent it")
    func nextLaunch() async throws {
        network.put(.bytes(PrefetchStage.json("2")), at: source)
        var received: [PrefetchTableCheck] = []
        let first = service { received.append($0) }
        await first.open()
        #expect(stage.prefetchers.table == nil)
        first.check()
        try await until { received.count == 1 }
        #expect(stage.prefetchers.table?.version == "2")
        await first.shutDown()
        stage.prefetchers.table = nil
        let other = service("https://config.example/other")
        await other.open()
        #expect(stage.prefetchers.table == nil)
        let next = service()
        await next.open()
        #expect(stage.prefetchers.table?.version == "2")
        #expect(next.counters == PrefetchTableCounters())
    }
}
