// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import OfflinePackage
internal import ResourceStore

/// The command `h5 store gc`, which removes unused data.
struct StoreSweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Removes retired generations and unreferenced blobs.",
        discussion: """
            Staged generations are kept, because they may wait for the app's next launch. The fallback generation of \
            a version on trial is also kept; if the record of trials cannot be read, nothing is removed. Without \
            --json, prints the removed amount. With --json, prints {"generations", "blobs", "bytes"}: the numbers of \
            the removed generations, and the number and size of the removed blobs.
            """)

    @Argument(help: ArgumentHelp("The store's directory.", valueName: "dir"))
    var directory: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var generations: [Int64]
        var blobs: Int
        var bytes: Int64
    }

    func run() async throws {
        let result = try StoreInput.change(directory) { store in
            // Pins of the app exist only while it runs. The former generations of trials must be pinned here, as the
            // app does at each start.
            for former in try trials(in: store).compactMap(\.former) { store.pin(former) }
            return try store.sweep()
        }
        guard !json else {
            return try CommandOutput.result(
                json: Output(generations: result.generations, blobs: result.blobs, bytes: result.bytes))
        }
        try CommandOutput.result(
            "\(result.generations.count) generations, \(result.blobs) blobs, \(result.bytes) bytes removed")
    }

    /// Returns the trials that are in progress in the app.
    ///
    /// The record is decoded here, because `HealthDocument` treats a damaged record and a record in a later format as
    /// empty.
    /// - Throws: ``CommandError`` if the record is damaged or in a later format.
    private func trials(in store: BlobStore) throws -> [TrialPeriod] {
        guard let content = try store.document(HealthDocument.name) else {
            guard store.counters.damagedDocuments == 0 else {
                throw CommandError(
                    .badInput, code: "damaged", "the record of trials was damaged, and dropped; nothing was removed",
                    at: directory)
            }
            return []
        }
        do {
            return try Array(JSONDecoder().decode(TrialRecord.self, from: content).trials.values)
        } catch {
            throw CommandError(
                .badInput, code: "damaged", "the record of trials has an unknown format; nothing was removed",
                at: directory)
        }
    }
}
