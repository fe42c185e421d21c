// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import CookieJar
import Foundation
import Testing

@_spi(Facade) @testable import CookieBridge

/// Tests of the reconciler with stores in memory and a manual clock.
@Suite(.timeLimit(.minutes(3)))
struct CookieReconcilerTests {
    private let jar = FakeStore(.whole, [cookie("session", "1", isHTTPOnly: true), cookie("theme", "dark")])
    private let engine = FakeStore(.engine, [cookie("page", "1")])
    private let other = FakeStore()
    private let clock = GatedClock()

    private func make(_ change: (inout CookieReconciler.Configuration) -> Void = { _ in }) -> CookieReconciler {
        var configuration = CookieReconciler.Configuration()
        change(&configuration)
        return CookieReconciler(
            [(.jar, jar), (.engine, engine), (.other, other)], configuration: configuration, clock: clock,
            now: { start })
    }

    @Test func firstNavigationHasCookies() async throws {
        let reconciler = make()
        try await reconciler.start()
        try await reconciler.barrier()
        #expect(engine.values == ["session": "1", "theme": "dark", "page": "1"])
        #expect(jar.values == engine.values)
        #expect(other.values == engine.values)
        await reconciler.stop()
        await #expect(throws: CookieBridgeError.self) { try await reconciler.barrier() }
        await #expect(throws: CookieBridgeError.self) { try await reconciler.start() }
    }

    @Test func changeReachesAllStores() async throws {
        let reconciler = make()
        try await reconciler.start()
        try await reconciler.barrier()
        other.change(.set(cookie("lang", "fr")))
        // The signal of the store is pending.
        while jar.values["lang"] != "fr" || engine.values["lang"] != "fr" { await Task.yield() }
        await reconciler.stop()
    }

    @Test func responseWaitsForCookies() async throws {
        let reconciler = make()
        try await reconciler.start()
        try await reconciler.barrier()
        engine.closeGate()
        jar.change(.set(cookie("login", "1")))
        jar.change(.remove(name("page")))
        async let handedOver = reconciler.waitForTransfer(from: .jar, of: [name("login"), name("page")])
        while other.values["login"] == nil || other.values["page"] != nil { await Task.yield() }
        #expect(engine.values["login"] == nil)
        engine.openGate()
        #expect(await handedOver)
        #expect(engine.values["login"] == "1" && engine.values["page"] == nil)
        await reconciler.stop()
    }

    @Test func responseWaitHasLimit() async throws {
        let reconciler = make()
        try await reconciler.start()
        try await reconciler.barrier()
        engine.closeGate()
        jar.change(.set(cookie("login", "1")))
        async let handedOver = reconciler.waitForTransfer(from: .jar, of: [name("login")])
        for await sleep in clock.sleeps where sleep == .seconds(2) { break }
        clock.open()
        #expect(await handedOver == false)
        #expect(await reconciler.counters.lateTransfers == 1)
        engine.openGate()
        await reconciler.stop()
    }

    @Test func failuresAreRetriedAfterDelay() async throws {
        let reconciler = make { $0.firstWait = .milliseconds(7) }
        engine.failNext(1)
        try await reconciler.start()
        async let barrier: Void = reconciler.barrier()
        for await sleep in clock.sleeps where sleep == .milliseconds(7) { break }
        // The clock also ends the limit of the barrier, so the barrier may time out before the store is written.
        clock.open()
        try? await barrier
        while engine.values.count < 3 { await Task.yield() }
        #expect(await reconciler.counters.reconciliation.failures == 1)
        await reconciler.stop()
    }

    @Test func oneCallClearsAccount() async throws {
        let reconciler = make()
        try await reconciler.start()
        try await reconciler.barrier()
        try await reconciler.clear(.domains(["shop.example"]))
        #expect(jar.values.isEmpty && engine.values.isEmpty && other.values.isEmpty)
        try await reconciler.barrier()
        #expect(jar.values.isEmpty && engine.values.isEmpty)
        try await reconciler.clear(.all)
        await reconciler.stop()
    }

    @Test func cancelledCallerDoesNotWait() async throws {
        let reconciler = make()
        engine.closeGate()
        try await reconciler.start()
        let waiting = Task { try await reconciler.barrier() }
        for await sleep in clock.sleeps where sleep == .seconds(3) { break }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        engine.openGate()
        await reconciler.stop()
    }
}
