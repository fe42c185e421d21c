// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import TrustedPublishing

/// The command `h5 keys renew`, which signs metadata again before it expires.
struct KeysRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Signs metadata again, so that it expires later.",
        discussion: """
            Renews the roles that the keys can sign: with the online key only, snapshot and timestamp. Run it more \
            often than the timestamp expires. h5 keys rotate renews root.

            Without --json, prints the paths of the new files. With --json, prints a list of them.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let folder = try RepositoryFolder(changing: path)
        var update = try options.update(try options.state(of: folder, settings), settings)
        update.renew()
        let steps = try update.steps()
        try folder.apply(steps)
        guard !json else { return try CommandOutput.result(json: steps.map(\.path)) }
        try CommandOutput.result(lines: steps.map(\.path))
    }
}
