// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// `h5 store`: a container's directory, looked into without the app.
struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks into a container's directory, without the app.",
        discussion: """
            The app must not run: a store that another process has open is refused (69). So is a directory in which a name \
            is a symbolic link or belongs to another user (65).
            """,
        subcommands: [
            StoreListCommand.self, StoreStatCommand.self, StoreSweepCommand.self, StoreCheckCommand.self,
        ])
}
