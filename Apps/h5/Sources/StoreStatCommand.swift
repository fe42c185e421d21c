// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Facade) internal import ResourceStore

/// The command `h5 store stat`, which prints the amount of data in a store.
struct StoreStatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Prints the amount of data in a store.",
        discussion: """
            Without --json, prints a line for each kind. With --json, prints {"blobs": {"rows", "files", "unnamed"}, \
            "generations", "packages", "resources", "documents"}: {"count", "bytes"} of each, except generations, which \
            are counted by state. Nothing in the directory is changed. Unnamed blobs are those that gc removes; \
            packages counts each distinct blob once.
            """)

    @Argument(help: ArgumentHelp("The store's directory.", valueName: "dir"))
    var directory: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Blobs: Encodable {
            var rows: StoreStatistics.Amount
            var files: StoreStatistics.Amount
            var unnamed: StoreStatistics.Amount
        }

        var blobs: Blobs
        var generations: [String: Int] = ["active": 0, "staged": 0, "retired": 0]
        var packages: StoreStatistics.Amount
        var resources: StoreStatistics.Amount
        var documents: StoreStatistics.Amount
    }

    func run() async throws {
        let statistics = try StoreInput.read(directory, includingBlobs: true) { try $0.statistics() }
        var output = Output(
            blobs: .init(
                rows: statistics.rowBlobs, files: statistics.fileBlobs, unnamed: statistics.orphanBlobs),
            packages: statistics.packages, resources: statistics.resources, documents: statistics.documents)
        for (state, count) in statistics.generations { output.generations[state.rawValue] = count }
        guard !json else { return try CommandOutput.result(json: output) }
        for (name, amount) in [
            ("blobs in rows", output.blobs.rows), ("blobs in files", output.blobs.files),
            ("blobs that nothing names", output.blobs.unnamed), ("blobs of packages", output.packages),
            ("resources", output.resources), ("documents", output.documents),
        ] {
            try CommandOutput.result("\(name): \(amount.count), \(amount.bytes) bytes")
        }
        for (state, count) in output.generations.sorted(by: { $0.key < $1.key }) {
            try CommandOutput.result("generations \(state): \(count)")
        }
    }
}
