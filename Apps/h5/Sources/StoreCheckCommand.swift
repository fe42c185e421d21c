// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
@_spi(Facade) internal import ResourceStore

/// The command `h5 store check`, which checks the integrity of a store.
struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks every digest, table and record of a store.",
        discussion: """
            The exit status is 65 if there is a fault. Without --repair, nothing in the directory is changed; the \
            databases are read from a copy in the temporary directory. With --repair, damaged data is removed, so that \
            the app downloads it again; the status is then 65 if generations still lack files, which a new \
            installation restores.

            Without --json, prints a line for each fault, then the number of checked blobs. With --json, prints \
            {"sound", "repaired", "blobs", "unnamed", "damagedBlobs", "missing", "missingCount", "damagedGenerations", \
            "damagedResources", "damagedDocuments", "brokenDatabases"}: blobs and unnamed are {"count", "bytes"}; \
            missing lists at most 1,000 {"generation", "name", "blob"}, and missingCount is their total number. \
            damagedBlobs is a list of digests, damagedGenerations a list of numbers, damagedResources a count, \
            damagedDocuments a list of names and brokenDatabases a list of sentences. generation is null for a resource.
            """)

    @Argument(help: ArgumentHelp("The store's directory.", valueName: "dir"))
    var directory: String

    @Flag(help: "Remove damaged data.")
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
                // A missing value is encoded as null.
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
            missing = check.missingReferences.map {
                Missing(generation: $0.generation, name: $0.name, blob: $0.blob.description)
            }
            missingCount = check.missingReferenceCount
            damagedGenerations = check.damagedGenerations
            damagedResources = check.damagedResources
            damagedDocuments = check.damagedDocuments
            brokenDatabases = check.brokenDatabases
        }

        /// The lines of the text output.
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
                        ? "blobs.sqlite was not a database of a store; it was created anew"
                        : "blobs.sqlite is not a database of a store")
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
            try CommandOutput.result(lines: output.lines)
        }
        guard isSoundNow else {
            throw CommandError(
                .badInput, code: "damaged",
                repair ? "damaged data was removed; generations lack files" : "the store is damaged", at: directory)
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
