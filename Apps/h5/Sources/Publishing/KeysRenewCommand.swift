// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import PackageFormat
internal import TrustedPublishing

/// The command `h5 keys renew`, which signs metadata again before it expires.
struct KeysRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Signs metadata again, so that it expires later.",
        discussion: """
            Renews the roles that the keys can sign: with the online key only, snapshot and timestamp. Run it more \
            often than the timestamp expires. h5 keys rotate renews root. Metadata of a package that the keys of its \
            delegation have not signed stays unchanged, for example after h5 keys delegate with new keys. So does \
            metadata that cannot be read, with a warning.

            --package signs the metadata of this package only, with snapshot and timestamp, also if other keys have \
            signed it before. Compare the releases that the command prints with those that you have published, before \
            you upload them. Anything but valid releases is removed from such metadata, with a warning.

            Without --json, prints the paths of the new files. With --json, prints a list of them. With --package, \
            prints the releases first, as h5 status does; with --json {"files", "releases"}.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @Option(
        name: .customLong("package"),
        help: ArgumentHelp("A delegated package, whose metadata the keys sign again.", valueName: "id"),
        transform: OptionValue.packageID)
    var id: PackageID?

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var files: [String]
        var releases: [ReleaseOutput]
    }

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let folder = try RepositoryFolder(changing: path)
        var update = try options.update(try options.state(of: folder, settings), settings)
        guard let id else {
            update.state.warnOfDamagedRoles()
            update.renew()
            let steps = try update.steps()
            try folder.apply(steps)
            guard !json else { return try CommandOutput.result(json: steps.map(\.path)) }
            return try CommandOutput.result(lines: steps.map(\.path))
        }
        let role = update.state.role(of: id)
        guard role != TopRole.targets else {
            throw PublishingError(.notFound, "the package is not delegated", at: "\(id)")
        }
        let removed = try update.resign(role)
        let steps = try update.steps()
        try folder.apply(steps)
        for name in removed { CommandOutput.log("warning: removed from the metadata of \(role): \(name)") }
        let releases = try update.state.releases().filter { $0.role == role }
        let output = Output(
            files: steps.map(\.path), releases: releases.map { ReleaseOutput($0.release, role: $0.role) })
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: output.releases.map(\.line) + output.files)
    }
}
