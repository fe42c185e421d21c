// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BodyBridge
@_spi(Facade) import CookieBridge
import PackageUpdates
import PagePrefetch
import PageRecovery
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// The two orders in which the components of a container are called.
@MainActor
@Suite("Components", .timeLimit(.minutes(1)))
struct ComponentListTests {
    /// The calls of all components, in order.
    @MainActor
    private final class Log {
        var calls: [String] = []
    }

    /// A component that records its calls, and fails on demand.
    @MainActor
    private final class Recorder: ContainerComponent {
        let name: ComponentList.Name
        let log: Log
        var failure: (any Error)?

        init(_ name: ComponentList.Name, _ log: Log) {
            self.name = name
            self.log = log
        }

        private func record(_ call: String) throws {
            log.calls.append("\(call) \(name)")
            if let failure { throw failure }
        }

        func start() throws { try record("start") }
        func hostDidTransition(to state: HostState) throws { try record("\(state)") }
        func trimMemory(_ pressure: MemoryPressure) { log.calls.append("trim \(name)") }
        func removeData(_ removal: AccountDataRemoval) throws { try record("\(removal.stage)") }
        func addCounters(to counters: inout ContainerCounters) { counters.droppedEvents += 1 }
    }

    private struct Failure: Error, Equatable {
        let number: Int
    }

    private let log = Log()

    private func list(_ names: [ComponentList.Name], failing: [ComponentList.Name: Failure] = [:]) -> ComponentList {
        ComponentList(
            Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let component = Recorder(name, log)
                    component.failure = failing[name]
                    return (name, component)
                }))
    }

    @Test("Both orders contain every component once")
    func complete() {
        for order in [ComponentList.startOrder, ComponentList.closeOrder] {
            #expect(order.count == ComponentList.Name.allCases.count)
            #expect(Set(order) == Set(ComponentList.Name.allCases))
        }
    }

    @Test("Components have an order of start and an order of close; an unused feature has no component")
    func orders() async throws {
        let components = list([.views, .store, .loopback, .packages])
        #expect(components.inStartOrder.map { ($0 as? Recorder)?.name } == [.loopback, .store, .packages, .views])
        #expect(components.inCloseOrder.map { ($0 as? Recorder)?.name } == [.views, .loopback, .packages, .store])
        try await components.start()
        #expect(log.calls == ["start loopback", "start store", "start packages", "start views"])
        #expect(components.first(Recorder.self)?.name == .loopback)
        #expect(components.first(StoreComponent.self) == nil)
        #expect(components.counters.droppedEvents == 4)
        log.calls = []
        components.trimMemory(.warning)
        #expect(log.calls == ["trim views", "trim loopback", "trim packages", "trim store"])
    }

    @Test(
        "A container is deallocated when released, with an open page and with a closed page that the app retains",
        arguments: [InterceptionMode.customScheme, .loopbackProxy], [false, true])
    func released(mode: InterceptionMode, isClosed: Bool) async throws {
        let fixture = Fixture()
        var page: Page<FakeView>?
        weak var packages: PackageService?
        weak var pages: PageRegistry?
        do {
            let container = try await fixture.container(covering: ["a.example"]) {
                $0.pages.mode = mode
                $0.pages.legacyMessages = LegacyMessages(prefix: "yx")
                $0.pages.blankPages = BlankPageOptions()
                $0.network.prefetch = PrefetchOptions()
            }
            let opened = try await container.open("https://a.example/")
            if isClosed { await container.close(opened) }
            (page, packages, pages) = (opened, container.core.packages, container.pages)
        }
        // Tasks that end with the container may retain these objects for a moment.
        while packages != nil || pages != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(page != nil)
    }

    @Test("A component that fails to start ends the start")
    func failedStart() async {
        let components = list([.store, .packages, .views], failing: [.packages: Failure(number: 1)])
        await #expect(throws: Failure(number: 1)) { try await components.start() }
        #expect(log.calls == ["start store", "start packages"])
    }

    @Test("A suspension uses the close order and a resumption the start order, even if components fail")
    func transitions() async {
        let failing: [ComponentList.Name: Failure] = [.packages: Failure(number: 1), .store: Failure(number: 2)]
        let components = list([.store, .packages, .recovery], failing: failing)
        await #expect(throws: Failure(number: 1)) { try await components.hostDidTransition(to: .background) }
        #expect(log.calls == ["background recovery", "background packages", "background store"])
        log.calls = []
        // The components after the failed store receive `isStoreOpen: false`.
        await #expect(throws: Failure(number: 2)) {
            try await components.hostDidTransition(to: .resumed(isStoreOpen: true))
        }
        #expect(
            log.calls == [
                "resumed(isStoreOpen: true) store", "resumed(isStoreOpen: false) packages",
                "resumed(isStoreOpen: false) recovery",
            ])
    }

    @Test("Data is removed stage by stage, in each stage by all components, even if components fail")
    func removal() async {
        let components = list([.cookies, .prefetch], failing: [.cookies: Failure(number: 1)])
        let failures = await components.removeData(AccountDataRemoval(scope: .all, contents: .cookies))
        #expect(failures.count == 3 && failures.allSatisfy { $0 as? Failure == Failure(number: 1) })
        #expect(
            log.calls == [
                "began prefetch", "began cookies", "clearing prefetch", "clearing cookies", "ended prefetch",
                "ended cookies",
            ])
    }
}
