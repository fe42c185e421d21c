// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import OfflinePackage
internal import ResourceStore

/// `h5 store gc`: removes what nothing needs.
struct StoreSweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Removes retired generations and the blobs that nothing names.",
        discussion: """
            What is staged stays: it may wait for the app's next launch. So does the generation that a version on trial \
            falls back to; where the record of trials cannot be read, nothing is removed. Without --json, prints how much was removed. With \
            --json, prints {"generations", "blobs", "bytes"}: the numbers of the generations removed, and how many blobs \
            with how many bytes.
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
            // Pins do not outlive the app, which sets these anew when it starts.
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

    /// The trials that the app has under way.
    ///
    /// Decoded here: to `HealthDocument` a record that is damaged, or of a later version's form, is an empty one.
    /// - Throws: ``CommandError`` for such a record.
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
                .badInput, code: "damaged", "the record of trials has a form that is not known; nothing was removed",
                at: directory)
        }
    }
}
