// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Logging
import RemoteConfig
import ResourceLoading
import ResourceStore
import SchemeRouter
import Testing
import WebEngineTesting

/// The remote config service with a store and a loader, without a container.
@MainActor
@Suite("Remote config service", .timeLimit(.minutes(1)))
struct RemoteConfigServiceTests {
    private let source = "https://config.example/switchboard"
    private let folder: TemporaryFolder
    private let store: BlobStore
    private let network = FakeLoader()
    private let rules = ActiveRules()
    private let switches = FeatureSwitches()

    init() throws {
        folder = try TemporaryFolder()
        store = try BlobStore(directory: folder.path + "/store")
    }

    private func json(_ version: Int, _ more: String = "") -> String {
        #"{"format":1,"version":\#(version)\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private func document(_ version: Int, _ more: String = "") throws -> RemoteConfigDocument {
        try RemoteConfigDocument(json: Data(json(version, more).utf8))
    }

    private func publish(_ text: String) { network.put(.bytes(Data(text.utf8)), at: source) }

    private func service(
        _ options: RemoteConfigOptions = RemoteConfigOptions(),
        conditions: any HostConditioning = ChangingConditions(HostConditions()),
        clock: some Clock<Duration> = ContinuousClock(), now: @escaping () -> Date = { Date() }
    ) -> RemoteConfigService {
        RemoteConfigService(
            options, network: network, store: store, conditions: conditions, logger: Logger(label: "test"),
            rules: rules, switches: switches, clock: clock, now: now)
    }

    @Test("All switches are on initially, and each feature has its own switch")
    func switchOfEachFeature() {
        for feature in RemoteConfigFeature.allCases {
            #expect(switches.isOn(feature))
            switches.set(Set(RemoteConfigFeature.allCases).subtracting([feature]))
            #expect(RemoteConfigFeature.allCases.filter { !switches[$0].isOn } == [feature])
            switches.set(Set(RemoteConfigFeature.allCases))
        }
    }

    @Test("A document that could not be stored applies, throws an error, and is stored by the next call")
    func storedLater() async throws {
        let service = service()
        await service.open()
        try store.suspend()
        let off = try document(1, #""enabled":false"#)
        await #expect(throws: StoreError.self) { try await service.apply(off) }
        #expect(!service.state.isEnabled && !rules.isOn)
        try store.resume()
        #expect(try store.document("switchboard") == nil)
        try await service.apply(off)
        #expect(try store.document("switchboard") == Data("\n".utf8) + off.json)
        #expect(service.counters.checks == 0 && service.counters.applied == 1 && service.counters.failures == 1)
        await service.shutDown()
    }

    @Test("A device keeps its bucket across launches")
    func bucket() async throws {
        let first = service()
        await first.open()
        let identity = try #require(try store.document("device-bucket"))
        #expect(identity.count == 32)
        let device = try #require(RolloutBucket(identity: String(decoding: identity, as: UTF8.self)))
        let number = device.number(salt: RolloutBucket.salt(of: .packages))
        await first.shutDown()
        let next = service()
        await next.open()
        #expect(try store.document("device-bucket") == identity)
        try await next.apply(document(1, #""features":{"packages":{"perMille":\#(number)}}"#))
        #expect(!next.state.features.contains(.packages) && !switches.isOn(.packages))
        try await next.apply(document(2, #""features":{"packages":{"perMille":\#(number + 1)}}"#))
        #expect(next.state.features.contains(.packages) && switches.isOn(.packages))
        await next.shutDown()
    }

    @Test("An applied document sends one change, a failed check none; the next launch starts with the document")
    func events() async throws {
        var options = RemoteConfigOptions(source: RemoteConfigSource(url: source))
        options.source?.retryInterval = .zero
        let first = service(options)
        await first.open()
        var events: [String] = []
        first.onEvent = { event in
            switch event {
            case .changed(let state): events.append("changed \(state.document?.version ?? 0)")
            case .checked(.applied(let version)): events.append("applied \(version)")
            case .checked(.unchanged(let version)): events.append("unchanged \(version)")
            case .checked(.failed): events.append("failed")
            }
        }
        first.check()
        try await until { events == ["failed"] }
        publish(json(7, #""limits":{"poolCapacity":5}"#))
        first.check()
        try await until { events == ["failed", "changed 7", "applied 7"] }
        #expect(first.numbers.poolCapacity == nil)
        await first.shutDown()
        let next = service(options)
        await next.open()
        #expect(next.numbers.poolCapacity == 5 && next.state.documentAtStart?.version == 7)
        #expect(next.counters == RemoteConfigCounters())
    }

    @Test("Rules apply while their document applies, also after a launch, and only for the hosts that the app names")
    func rulesOfDocument() async throws {
        var options = RemoteConfigOptions()
        options.ruleHosts = [try #require(HostPattern("*.shop.example"))]
        var time = Date(timeIntervalSince1970: 1_800_000_000)
        let first = service(options) { time }
        await first.open()
        let block = #""rules":[{"action":"block","host":"a.shop.example"}],"expires":"2027-01-15T08:01:40Z""#
        try await first.apply(document(1, block))
        #expect(rules.remoteRules.rules.map(\.action) == [.block(nil)])
        await #expect(throws: RemoteConfigError.self) {
            try await first.apply(document(2, #""rules":[{"action":"block","host":"shop.example"}]"#))
        }
        #expect(first.state.document?.version == 1 && first.counters.failures == 1)
        await first.shutDown()
        rules.remoteRules = .none
        let next = service(options) { time }
        await next.open()
        #expect(rules.remoteRules.rules.count == 1)
        time += 100
        next.check()
        #expect(next.state.isExpired && rules.remoteRules.rules.isEmpty)
        await next.shutDown()
        // Another version of the app names no hosts.
        let other = service { time - 100 }
        await other.open()
        #expect(other.state.document == nil && rules.remoteRules.rules.isEmpty)
        await other.shutDown()
    }

    @Test("An expired document does not apply, which is detected when a page opens; intervals are observed")
    func expires() async throws {
        let clock = ManualClock()
        var time = Date(timeIntervalSince1970: 1_800_000_000)
        let conditions = ChangingConditions(HostConditions(network: .none))
        let options = RemoteConfigOptions(source: RemoteConfigSource(url: source))
        publish(json(1, #""enabled":false,"expires":"2027-01-15T08:01:40Z""#))
        let first = service(options, conditions: conditions, clock: clock) { time }
        var changes: [RemoteConfigState] = []
        var checks = 0
        first.onEvent = { event in
            switch event {
            case .changed(let state): changes.append(state)
            case .checked: checks += 1
            }
        }
        first.check()
        #expect(first.counters.checks == 0)
        conditions.set(HostConditions())
        first.check()
        first.check()
        try await until { checks == 1 }
        #expect(!rules.isOn && !switches.isOn(.pool) && changes.map(\.isEnabled) == [false])
        time += 99
        first.check()
        #expect(!rules.isOn && first.counters.checks == 1)
        time += 1
        clock.advance(by: .seconds(599))
        first.check()
        #expect(rules.isOn && switches.isOn(.pool) && first.state.isExpired && first.counters.checks == 1)
        #expect(changes.map(\.isEnabled) == [false, true])
        clock.advance(by: .seconds(1))
        first.check()
        #expect(first.counters.checks == 2)
        try await until { checks == 2 }
        network.put(.bytes(Data()), at: source)
        clock.advance(by: .seconds(600))
        first.check()
        try await until { checks == 3 }
        clock.advance(by: .seconds(29))
        first.check()
        #expect(first.counters.checks == 3)
        clock.advance(by: .seconds(1))
        first.check()
        try await until { checks == 4 }
        await first.shutDown()
        // The next launch detects the expiry at once.
        let next = service(options, conditions: conditions, clock: clock) { time }
        await next.open()
        #expect(next.state.isExpired && next.state.documentAtStart == nil && rules.isOn)
    }
}
