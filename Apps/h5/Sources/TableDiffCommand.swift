// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ResourceTable

/// The command `h5 table diff`, which shows the changes of a new table for a client with an old one.
struct TableDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows the changes of a new table for a client with an old one.",
        discussion: """
            Only tables are compared, not files. Without --json, prints a line for each entry, + added, ~ changed, \
            > moved to another download URL, - removed, then the number of entries and the numbers of files to \
            download and to delete. With --json, prints {"oldVersion", "newVersion", "replaces", "added", "changed", \
            "moved", "removed", "download", "delete", "invalid"}: two versions, whether a client accepts the new \
            table, four lists of page URLs, two lists of download URLs, and the number of entries of the new table \
            that cannot be used and are left out. If the new response contains no table, newVersion is null and the \
            lists are empty.
            """)

    @Argument(help: ArgumentHelp("The table that the client has.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("The current response of the server.", valueName: "new"))
    var new: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var oldVersion: String
        var newVersion: String?
        var replaces: Bool
        var added: [String] = []
        var changed: [String] = []
        var moved: [String] = []
        var removed: [String] = []
        var download: [String] = []
        var delete: [String] = []
        var invalid = 0

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(oldVersion, forKey: .oldVersion)
            // A missing value is encoded as null.
            try container.encode(newVersion, forKey: .newVersion)
            try container.encode(replaces, forKey: .replaces)
            try container.encode(added, forKey: .added)
            try container.encode(changed, forKey: .changed)
            try container.encode(moved, forKey: .moved)
            try container.encode(removed, forKey: .removed)
            try container.encode(download, forKey: .download)
            try container.encode(delete, forKey: .delete)
            try container.encode(invalid, forKey: .invalid)
        }

        enum CodingKeys: String, CodingKey {
            case oldVersion, newVersion, replaces, added, changed, moved, removed, download, delete, invalid
        }
    }

    func run() async throws {
        let old = try TableInput.table(old)
        let output: Output
        switch try TableInput.answer(new) {
        case .unchanged:
            CommandOutput.log("note: the response contains no table: a client keeps its own")
            output = Output(oldVersion: old.version, newVersion: nil, replaces: false)
        case .table(let new):
            if new.version == old.version {
                CommandOutput.log("note: both have version \(old.version): a client keeps the old table")
            }
            let diff = TableDiff(from: old, to: new)
            output = Output(
                oldVersion: old.version, newVersion: new.version, replaces: new.version != old.version,
                added: diff.added.map(\.url.description), changed: diff.changed.map(\.url.description),
                moved: diff.moved.map(\.url.description), removed: diff.removed.map(\.url.description),
                download: diff.downloads.map(\.download.description),
                delete: diff.unreferenced.map(\.description), invalid: diff.invalidCount)
        }
        try json ? CommandOutput.result(json: output) : write(output)
    }

    private func write(_ output: Output) throws {
        for (mark, urls) in [
            ("+", output.added), ("~", output.changed), (">", output.moved), ("-", output.removed),
        ] {
            for url in urls { try CommandOutput.result("\(mark) \(url)") }
        }
        // Most tables move no file.
        let moved = output.moved.isEmpty ? "" : "\(output.moved.count) moved, "
        try CommandOutput.result(
            "\(output.added.count) added, \(output.changed.count) changed, \(moved)\(output.removed.count) removed; "
                + "\(output.download.count) to download, \(output.delete.count) to delete")
    }
}
