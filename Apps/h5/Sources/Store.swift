// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// The command `h5 store`, which inspects and maintains a container's directory without the app.
struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inspects and maintains a container's directory without the app.",
        discussion: """
            The app must not be running: a store that another process has open is refused (69). A directory that \
            contains a symbolic link or an entry of another user is also refused (65).
            """,
        subcommands: [
            StoreListCommand.self, StoreStatCommand.self, StoreSweepCommand.self, StoreCheckCommand.self,
        ])
}
