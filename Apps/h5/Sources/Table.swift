// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// `h5 table`: the resource table of legacy servers.
struct Table: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks into resource tables: what a new one means, which entry answers a URL.",
        discussion: """
            A table is what the server answers: {"code", "data": {"version", "update", "resourcemap"}}. A file may be \
            - for standard input.
            """,
        subcommands: [TableDiffCommand.self, TableMatchCommand.self])
}
