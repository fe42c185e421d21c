// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
@_spi(Facade) internal import ResourceStore

/// `h5 store check`: whether everything in a store is as it was put.
struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks every digest, table and record of a store.",
        discussion: """
            Exit status 65 where something is wrong. Without --repair, nothing in the directory is changed; the databases are \
            read from a copy in the temporary directory. With --repair, what is damaged is dropped, so that the app fetches it \
            again; the status is 65 then where generations still lack files, which installing again brings.

            Without --json, prints a line for each fault, then how much was checked. With --json, prints {"sound", \
            "repaired", "blobs", "unnamed", "damagedBlobs", "missing", "missingCount", "damagedGenerations", \
            "damagedResources", "damagedDocuments", "brokenDatabases"}: {"count", "bytes"} twice, a list of digests, a list \
            of the first 1,000 {"generation", "name", "blob"} and how many there are, numbers, a count, names, and \
            sentences. The generation is null for a resource.
            """)

    @Argument(help: ArgumentHelp("The store's directory.", valueName: "dir"))
    var directory: String

    @Flag(help: "Drop what is damaged.")
    var repair = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Missing: Encodable {
            var generation: Int64?
            var name: String
            var blob: String

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                // Null where there is none, not left out.
                try container.encode(generation, forKey: .generation)
                try container.encode(name, forKey: .name)
                try container.encode(blob, forKey: .blob)
            }

            enum CodingKeys: String, CodingKey {
                case generation, name, blob
            }
        }

        var sound: Bool
        var repaired: Bool
        var blobs: StoreStatistics.Amount
        var unnamed: StoreStatistics.Amount
        var damagedBlobs: [String]
        var missing: [Missing]
        var missingCount: Int
        var damagedGenerations: [Int64]
        var damagedResources: Int
        var damagedDocuments: [String]
        var brokenDatabases: [String]

        init(_ check: StoreCheck, repaired: Bool) {
            sound = check.isSound
            self.repaired = repaired
            blobs = check.blobs
            unnamed = check.orphanBlobs
            damagedBlobs = check.damagedBlobs.map(\.description)
            missing = check.lacking.map { Missing(generation: $0.generation, name: $0.name, blob: $0.blob.description) }
            missingCount = check.lackingCount
            damagedGenerations = check.damagedGenerations
            damagedResources = check.damagedResources
            damagedDocuments = check.damagedDocuments
            brokenDatabases = check.brokenDatabases
        }

        /// For people.
        var lines: [String] {
            var lines = brokenDatabases.map { "broken database: \($0)" }
            lines += damagedBlobs.map { "damaged blob: \($0)" }
            lines += missing.map { lack in
                "no bytes: \(lack.name), " + (lack.generation.map { "generation \($0)" } ?? "a resource")
            }
            if missingCount > missing.count { lines.append("no bytes: \(missingCount - missing.count) more") }
            lines += damagedGenerations.map { "damaged table: generation \($0)" }
            if damagedResources > 0 { lines.append("damaged records: \(damagedResources) resources") }
            lines += damagedDocuments.map { "damaged document: \($0)" }
            return lines + ["\(blobs.count) blobs of \(blobs.bytes) bytes are right, \(unnamed.count) of them unnamed"]
        }
    }

    func run() async throws {
        func run(_ store: BlobStore) throws -> (Output, isSoundNow: Bool) {
            let found = try check(store, repairs: repair)
            var output = Output(found, repaired: repair)
            if store.counters.lostRowDatabases > 0 {
                output.brokenDatabases.append(
                    repair
                        ? "blobs.sqlite was no database of a store; opening the store began it anew"
                        : "blobs.sqlite is no database of a store")
                output.sound = false
            }
            guard repair, !output.sound else { return (output, output.sound) }
            return (output, try check(store, repairs: false).isSound)
        }
        let (output, isSoundNow) =
            try repair
            ? StoreInput.change(directory, run) : StoreInput.read(directory, includingBlobs: true, run)
        if json {
            try CommandOutput.result(json: output)
        } else {
            for line in output.lines { try CommandOutput.result(OneLine.text(line)) }
        }
        guard isSoundNow else {
            throw CommandError(
                .badInput, code: "damaged",
                repair ? "what is damaged was dropped; generations lack files" : "the store is damaged", at: directory)
        }
    }

    private func check(_ store: BlobStore, repairs: Bool) throws -> StoreCheck {
        let bar = ProgressBar.onTerminal("checking")
        defer { bar?.finish() }
        return try store.check(repairs: repairs) { progress in
            try Task.checkCancellation()
            bar?.update(progress.completedBytes, of: progress.totalBytes)
        }
    }
}
