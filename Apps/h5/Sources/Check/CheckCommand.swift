// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import StrictJSON
internal import SystemSupport

/// The command `h5 check`, which validates a document that an app reads.
struct CheckCommand: AsyncParsableCommand {
    private static let kinds = CheckedKind.all.map(\.name).joined(separator: ", ")

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates route rules, remote config, a prefetch or resource table, a catalogue or hosts.json.",
        discussion: """
            The document is read as an app reads it. The first fault in the order of the document is reported with its \
            line, and the exit status is then 65. Without --kind, the members of the document select the kind. A \
            resource table has a fault if one of its entries cannot be used.

            Without --json, prints the kind and what the document contains. With --json, prints {"kind", "counts", \
            "notes"}. Notes are about parts that have no effect; without --json they are written to standard error.
            """)

    @Argument(help: ArgumentHelp("The document; - is standard input.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp("The kind of the document: \(CheckCommand.kinds).", valueName: "kind"),
        transform: { name in
            guard let kind = CheckedKind.all.first(where: { $0.name == name }) else {
                throw ValidationError("Not a kind: use \(CheckCommand.kinds).")
            }
            return kind
        })
    var kind: CheckedKind?

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// The maximum number of bytes of a document; the parsers have stricter limits.
    private static let longest = 64 << 20

    private struct Output: Encodable {
        var kind: String
        var counts: [String: Int]
        var notes: [String]
    }

    func run() async throws {
        let data = try TableInput.read(file, upTo: Self.longest + 1)
        guard data.count <= Self.longest else {
            throw CommandError(.badInput, code: "too-large", "the document has more than 64 MiB", at: file)
        }
        do {
            try data.withUnsafeBytes { try JSONScanner.validate($0, limits: FirstFault.limits) }
        } catch let error as JSONError {
            let line = data.withUnsafeBytes { JSONLocator.line(atByte: error.position, in: $0) }
            throw CommandError(.badInput, code: "bad-json", error.message, at: "\(file):\(line)")
        }
        let kind = try kind ?? detectedKind(of: data)
        if let fault = try FirstFault.find(in: data, kind) {
            let place = fault.error.location.flatMap { $0.hasPrefix("byte ") ? nil : ": \($0)" } ?? ""
            throw CommandError(
                .badInput, code: fault.error.codeName, fault.error.message, at: "\(file):\(fault.line)\(place)")
        }
        let (counts, notes) = try kind.read(data)
        guard !json else {
            let numbers = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, $0.count) })
            return try CommandOutput.result(json: Output(kind: kind.name, counts: numbers, notes: notes))
        }
        for note in notes { CommandOutput.log("note: \(note)") }
        try CommandOutput.result(
            "\(kind.name): " + counts.map { "\($0.count) \($0.name)" }.joined(separator: ", "))
    }

    /// Returns the only kind that the members of a document show.
    private func detectedKind(of data: Data) throws -> CheckedKind {
        let names = try MemberNames(of: data)
        let found = CheckedKind.all.filter { $0.isShown(names) }
        guard found.count == 1 else {
            let text = found.isEmpty ? "no kind" : "several kinds: \(found.map(\.name).joined(separator: ", "))"
            throw CommandError(
                .badInput, code: "unknown-kind",
                "the members of the document show \(text); use --kind with \(Self.kinds)", at: file)
        }
        return found[0]
    }
}
