// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport

/// The implementation of `h5 --version` as a hidden command.
struct Version: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the version.", shouldDisplay: false)

    func run() async throws {
        try CommandOutput.result(ProgramVersion.current)
    }
}
