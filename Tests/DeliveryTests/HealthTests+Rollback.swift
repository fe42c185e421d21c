// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

@testable import ResourceStore

// Rollbacks that something comes between.
extension HealthTests {
    @Test func aVersionThatFailsDuringItsOwnDownloadIsNotActivatedAnew() async throws {
        let gate = Gate()
        try await runWithTrial(gate: gate) { (network, updater) async throws in
            // The same version with other files, as archive 3, which is held back.
            try depot.publish(["index.html": Data("other".utf8)], version: "3") { $0.version = version("2") }
            var source = network.source()
            source.archiveURL = "\(network.server.url)/shop-3.zip"
            async let update = updater.update(from: source)
            await gate.waiting(atLeast: 1)
            let rollbacks = await updater.note(BootReport(.failed("white page"), of: page()))
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

    private func version(_ text: String) -> PackageVersion {
        do {
            return try PackageVersion(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
