// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport

/// `h5 serve`: a folder behind a shaped network.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves a folder.")

    func run() async throws {
        throw CommandError(.unavailable, code: "unsupported", "serving is not there yet")
    }
}
