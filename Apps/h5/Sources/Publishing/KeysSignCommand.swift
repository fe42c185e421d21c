// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import TrustedPublishing

/// The command `h5 keys sign`, which adds signatures to the root that waits for them.
struct KeysSignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Adds signatures to the next root metadata, and publishes it if it has enough.",
        discussion: """
            The next root waits in metadata/root.next.json. A key of the current root must have signed it. Compare the \
            keys that the command prints with those that you expect. The output is that of h5 keys init.
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
        try update.signRoot()
        try RootOutput.finish(&update, in: folder, json: json)
    }
}
