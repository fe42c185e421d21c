// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// The command `h5 table`, which inspects resource tables of legacy servers.
struct Table: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inspects resource tables: the changes of a new table, and the entry for a URL.",
        discussion: """
            A table is the server's response: {"code", "data": {"version", "update", "resourcemap"}}. A file \
            name may be - for standard input.
            """,
        subcommands: [TableDiffCommand.self, TableMatchCommand.self])
}
