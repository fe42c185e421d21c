// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ResourceStore

/// `h5 store gc`: removes what nothing needs.
struct StoreSweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Removes retired generations and the blobs that nothing names.",
        discussion: """
            What is staged stays: it may wait for the app's next launch. Without --json, prints how much was removed. With \
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
        let result = try StoreInput.with(directory) { try $0.sweep() }
        guard !json else {
            return try CommandOutput.result(
                json: Output(generations: result.generations, blobs: result.blobs, bytes: result.bytes))
        }
        try CommandOutput.result(
            "\(result.generations.count) generations, \(result.blobs) blobs, \(result.bytes) bytes removed")
    }
}
