// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import TrustedPublishing

/// The command `h5 keys list`, which lists the roles of a repository and their keys.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the roles of a repository and their public keys.",
        discussion: """
            Without --json, prints a line for each role with its threshold, then a line for each of its keys. With \
            --json, prints a list of {"role", "threshold", "keys"}; a key is {"id", "scheme"}.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let state = try RepositoryFolder(reading: path).state()
        _ = try state.publishedRoot
        let roles = try (TopRole.all + state.delegatedRoles).map { RoleOutput($0, try state.keys(of: $0)) }
        guard !json else { return try CommandOutput.result(json: roles) }
        try CommandOutput.result(lines: roles.flatMap(\.lines))
    }
}
