// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import ResourceStore

/// The command `h5 store ls`, which lists the generations and resources of a store.
struct StoreListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the generations and resources of a store.",
        discussion: """
            Without --json, prints a line for each: number, state, package, version, files and bytes of a generation; \
            key, bytes, validator and day of the last use of a resource. With --json, prints {"generations", \
            "resources"}: lists of {"number", "state", "package", "version", "files", "bytes"} and {"key", "bytes", \
            "validator", "lastUse"}. Files and bytes of a generation with a damaged table are null. Nothing in the \
            directory is changed.
            """)

    @Argument(help: ArgumentHelp("The store's directory.", valueName: "dir"))
    var directory: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Generation: Encodable {
            var number: Int64
            var state: String
            var package: String
            var version: String
            var files: Int?
            var bytes: Int64?

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .number)
                try container.encode(state, forKey: .state)
                try container.encode(package, forKey: .package)
                try container.encode(version, forKey: .version)
                // A missing value is encoded as null.
                try container.encode(files, forKey: .files)
                try container.encode(bytes, forKey: .bytes)
            }

            enum CodingKeys: String, CodingKey {
                case number, state, package, version, files, bytes
            }
        }

        struct Resource: Encodable {
            var key: String
            var bytes: Int64
            var validator: String
            var lastUse: String
        }

        var generations: [Generation] = []
        var resources: [Resource] = []
    }

    func run() async throws {
        let output = try StoreInput.read(directory, includingBlobs: false, Self.list)
        guard !json else { return try CommandOutput.result(json: output) }
        for generation in output.generations {
            let size = generation.files.map { "\($0) files, \(generation.bytes ?? 0) bytes" } ?? "damaged"
            try CommandOutput.result(
                "generation \(generation.number) \(generation.state): \(generation.package) \(generation.version), "
                    + size)
        }
        for resource in output.resources {
            try CommandOutput.result(
                "resource \(resource.key): \(resource.bytes) bytes, \(resource.validator), used \(resource.lastUse)")
        }
    }

    /// The first and the last day, since 1970, with a year from 1 to 9999. The seal of a record does not cover the day,
    /// so a damaged day can be any number.
    private static let (firstDay, lastDay) = (Int64(-719_162), Int64(2_932_896))

    private static func list(_ store: BlobStore) throws -> Output {
        var output = Output()
        for generation in try [.active, .staged, .retired].flatMap(store.generations).sorted(by: {
            $0.number < $1.number
        }) {
            let entries: [StoredEntry]?
            do {
                entries = try store.entries(of: generation.number)
            } catch let error as StoreError where error.code == .damaged {
                entries = nil
            }
            output.generations.append(
                Output.Generation(
                    number: generation.number, state: generation.state.rawValue, package: generation.package,
                    version: generation.version, files: entries?.count,
                    bytes: entries.map { $0.reduce(0) { $0 &+ $1.size } }))
        }
        output.resources = try store.resources().map { resource in
            Output.Resource(
                key: resource.key, bytes: resource.size, validator: resource.validator,
                lastUse: Date(timeIntervalSince1970: Double(min(max(resource.lastUse, firstDay), lastDay)) * 86_400)
                    .formatted(.iso8601.year().month().day()))
        }
        return output
    }
}
