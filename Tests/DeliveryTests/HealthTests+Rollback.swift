// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Dispatch
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

// Rollbacks that are interrupted.
extension HealthTests {
    @Test func versionThatFailsDuringDownloadIsNotActivated() async throws {
        let gate = Gate()
        try await runWithTrial(gate: gate) { (network, updater) async throws in
            // The same version with other files is archive 3, whose response is delayed.
            try depot.publish(["index.html": Data("other".utf8)], version: "3") { $0.version = version("2") }
            var source = network.source()
            source.archiveURL = "\(network.server.url)/shop-3.zip"
            async let update = updater.update(from: source)
            await gate.waiting(atLeast: 1)
            let rollbacks = await updater.record(BootReport(.failed("white page"), of: page()))
            gate.open()
            do {
                _ = try await update
                Issue.record("a version that failed was activated")
            } catch {
                #expect((error as? DeliveryError)?.code == .quarantined)
            }
            for rollback in rollbacks { await rollback.value }
            #expect(try await depot.serves(old))
            #expect(try depot.store.generations(in: .staged) == [])
        }
    }

    /// Begins an update to version 3 that is suspended during its activation and fails after the semaphore is
    /// signalled.
    private func beginFailingUpdate(
        _ network: Network, _ updater: PackageUpdater
    ) async throws -> (Task<PackageUpdate, any Error>, DispatchSemaphore) {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let goOn = DispatchSemaphore(value: 0)
        steps.once(at: .formerRetired) {
            arrival.yield()
            goOn.wait()
            throw CocoaError(.fileWriteOutOfSpace)
        }
        try depot.publish(["index.html": Data("third".utf8)], version: "3")
        let update = Task { try await updater.update(from: network.source()) }
        for await _ in arrivals { break }
        return (update, goOn)
    }

    /// The trial of the current version is paused during the activation of the next version.
    @Test func failedActivationRestoresPausedTrial() async throws {
        try await runWithTrial { (network, updater) async throws in
            await updater.report(BootReport(.began, of: page()))
            await clock.sleepers(atLeast: 1)
            let (update, goOn) = try await beginFailingUpdate(network, updater)
            await updater.pauseTrials(true, order: 1)
            goOn.signal()
            await #expect(throws: (any Error).self) { try await update.value }
            #expect(clock.sleeperCount == 0)
            clock.advance(by: .seconds(100))
            await updater.pauseTrials(false, order: 2)
            #expect(try await depot.serves(new))
            let events = updater.events()
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(10))
            #expect(try await rollback(events).reason == .rolledBack("the page did not report within 10.0 seconds"))
            #expect(try await depot.serves(old))
        }
    }

    enum PageReport: CaseIterable {
        case healthy, failed, closed
    }

    /// Reports of pages about the current version count, even if they arrive while the activation of the next version
    /// fails.
    @Test(arguments: PageReport.allCases)
    func failedActivationKeepsReports(_ report: PageReport) async throws {
        try await runWithTrial { (network, updater) async throws in
            let events = updater.events()
            await updater.report(BootReport(.began, of: page()))
            await clock.sleepers(atLeast: 1)
            let (update, goOn) = try await beginFailingUpdate(network, updater)
            let kind: BootReport.Kind =
                switch report {
                case .healthy: .healthy
                case .failed: .failed("white page")
                case .closed: .closed
                }
            await updater.report(BootReport(kind, of: page()))
            goOn.signal()
            await #expect(throws: (any Error).self) { try await update.value }
            #expect(clock.sleeperCount == 0)
            clock.advance(by: .seconds(100))
            switch report {
            case .healthy:
                _ = try await next(events) {
                    if case .confirmed(_, let version) = $0, "\(version)" == "2" { () } else { nil }
                }
            case .failed: #expect(try await rollback(events).reason == .rolledBack("white page"))
            case .closed: break
            }
            #expect(try await depot.serves(report == .failed ? old : new))
        }
    }

    /// Without a stored trial, processes that end during the boot of the version would not be counted.
    @Test func versionWithoutSavedTrialIsNotActivated() async throws {
        try await run { (network, _) async throws in
            let updater = depot.updater(network) { $0.health = UnwritableHealth() }
            try await updater.start()
            try depot.publish(new, version: "2")
            let error = await #expect(throws: DeliveryError.self) { try await updater.update(from: network.source()) }
            #expect(error?.code == .io)
            #expect(try await depot.serves(old))
            #expect(try depot.store.generations(in: .staged) == [])
        }
    }

    @Test func backgroundTransitionDoesNotWaitForDownload() async throws {
        let gate = Gate()
        try await run(gate: gate) { (network, updater) async throws in
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source(), timing: .inBackground)
            try depot.publish(["index.html": Data("third".utf8)], version: "3")
            let update = Task { try await updater.update(from: network.source()) }
            await gate.waiting(atLeast: 1)
            #expect(try await updater.hostEnteredBackground().map(\.reason) == [.activated])
            #expect(try await depot.serves(new) && gate.waiting == 1)
            gate.open()
            #expect(try await update.value.outcome == .activated)
        }
    }

    private func version(_ text: String) -> PackageVersion {
        do {
            return try PackageVersion(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The event that retries a failed rollback.
    enum SecondChance: CaseIterable {
        case report, background, order
    }

    @Test(arguments: SecondChance.allCases)
    func failedRollbackIsRetried(by chance: SecondChance) async throws {
        try await runWithTrial { (_, updater) async throws in
            let events = updater.events()
            try depot.store.suspend()
            await updater.report(BootReport(.failed("white page"), of: page()))
            #expect(try await depot.serves(new))
            try depot.store.resume()
            switch chance {
            case .report:
                var elsewhere = page(2)
                elsewhere.documentURL = "https://other.example/"
                await updater.report(BootReport(.began, of: elsewhere))
            case .background:
                let changes = try await updater.hostEnteredBackground()
                #expect(changes.map(\.reason) == [.rolledBack("white page")])
            case .order:
                for rollback in await updater.retryRollbacks() { await rollback.value }
            }
            #expect(try await depot.serves(old))
            // The event is sent once.
            await updater.shutDown()
            var reported = 0
            for await event in events {
                if case .quarantined = event { reported += 1 }
            }
            #expect(reported == 1)
        }
    }

    @Test func damagedFormerRecordDeactivatesPackage() async throws {
        try await run { (network, _) async throws in
            let damaged = try depot.store.stage(
                package: "shop", version: "0", metadata: Data("{".utf8), entries: [], from: depot.store.makeBatch())
            try depot.store.retire(damaged.number)
            let active = try #require(depot.library.installed.first?.generation.number)
            let trialRecord = """
                {"quarantine":{},"trials":{"shop":{"generation":\(active),"version":"1","former":\(damaged.number),
                "limits":{"boot":[10,0],"unfinishedBoots":3},"verdict":{"failed":{"_0":"white page"}},
                "unfinishedBoots":0}}}
                """
            let library = try PackageLibrary(store: depot.store)
            let next = depot.updater(network, library: library) {
                $0.health = FixedHealth(trialRecord: Data(trialRecord.utf8))
            }
            #expect(try await next.start().map(\.reason) == [.rolledBack("white page")])
            #expect(library.installed == [])
        }
    }
}

/// A health record on a full disk.
private struct UnwritableHealth: HealthRecording {
    func load() -> TrialRecord { TrialRecord() }
    func save(_: TrialRecord) throws { throw CocoaError(.fileWriteOutOfSpace) }
}

/// A trial record that never changes.
private struct FixedHealth: HealthRecording {
    let trialRecord: Data

    func load() throws -> TrialRecord { try JSONDecoder().decode(TrialRecord.self, from: trialRecord) }
    func save(_: TrialRecord) {}
}
