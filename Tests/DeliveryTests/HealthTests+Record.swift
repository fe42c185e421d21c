// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

// The persistence of health.
extension HealthTests {
    @Test func unreadableRecordIsNotOverwritten() async throws {
        try await runWithTrial { (network, updater) async throws in
            await updater.report(BootReport(.failed("white page"), of: page()))
            let health = UnreadableOnce(next: HealthDocument(depot.store))
            func start() async throws -> PackageUpdater {
                let library = try PackageLibrary(store: depot.store)
                let updater = depot.updater(network, library: library) { $0.health = health }
                try await updater.start()
                return updater
            }
            // Without the record the quarantine is unknown, so the version is tried again. The unreadable record is not
            // overwritten.
            try await start().update(from: network.source())
            let error = await #expect(throws: DeliveryError.self) {
                try await start().update(from: network.source())
            }
            #expect(error?.code == .quarantined)
        }
    }

    @Test func damagedRecordFailsNoOtherVersion() async throws {
        try await runWithTrial { (network, updater) async throws in
            await updater.report(BootReport(.failed("white page"), of: page()))
            let content = try #require(try depot.store.document(HealthDocument.name))
            #expect(content.firstRange(of: Data(#"["2"]"#.utf8)) != nil)
            let folder = depot.store.directory + "/documents"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let file = URL(filePath: "\(folder)/\(name)")
                var bytes = try Data(contentsOf: file)
                let place = try #require(bytes.firstRange(of: Data(#"["2"]"#.utf8)))
                bytes[place.lowerBound + 2] = UInt8(ascii: "3")
                try bytes.write(to: file)
            }
            try depot.publish(new, version: "3")
            let next = depot.updater(network)
            try await next.start()
            #expect(try await next.update(from: network.source()).outcome == .activated)
        }
    }

    @Test func recordIsSavedAfterSuspension() async throws {
        try await runWithTrial { (network, updater) async throws in
            try depot.store.suspend()
            await updater.report(BootReport(.began, of: page()))
            try depot.store.resume()
            await updater.retryRollbacks()
            let trialRecord = try HealthDocument(depot.store).load()
            #expect(trialRecord.trials["shop"]?.unfinishedBoots == 1)
        }
    }
}

/// A record whose first load fails.
private final class UnreadableOnce: HealthRecording {
    private let next: any HealthRecording
    private let isReadable = Mutex(false)

    init(next: any HealthRecording) {
        self.next = next
    }

    func load() throws -> TrialRecord {
        let isReadable = isReadable.withLock { isReadable in
            defer { isReadable = true }
            return isReadable
        }
        guard isReadable else { throw StoreError(.io, "input/output error", at: "package-health") }
        return try next.load()
    }

    func save(_ trialRecord: TrialRecord) throws { try next.save(trialRecord) }
}
