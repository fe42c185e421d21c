// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import PackageFormat
internal import TrustedPublishing

/// The command `h5 withdraw`, which stops a release or removes a package.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Stops a release, or removes a package with all its releases.",
        discussion: """
            With a version, no further device gets the release; devices that have it keep it, and h5 promote continues \
            it. h5 rollback replaces it on all devices. With --all, the package disappears from the catalogue and \
            from devices, and its files are removed from the repository. If the package is delegated, --all also \
            removes its targets that are not valid releases, with a warning. A target in the role targets that \
            is not a valid release ends the command with bad-metadata.

            Without --json, prints the releases that are withdrawn. With --json, prints a list of them as in h5 status.
            """,
        version: ProgramVersion.current)

    @OptionGroup var arguments: PackageArguments

    @Argument(
        help: ArgumentHelp("The version of the release to stop.", valueName: "version"),
        transform: OptionValue.packageVersion)
    var releaseVersion: PackageVersion?

    @Flag(help: "Remove the package with all its releases.")
    var all = false

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard (releaseVersion != nil) != all else {
            throw ValidationError("give either a version, to stop this release, or --all, to remove the package")
        }
    }

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let id = arguments.id
        let folder = try RepositoryFolder(changing: arguments.repository)
        let state = try options.state(of: folder, settings)
        if all { try state.checkMetadata(of: state.role(of: id)) }
        var releases = try releaseVersion.map { [try state.release(id, $0)] } ?? state.releases(of: id)
        var update = try options.update(state, settings, of: Set(releases.map(\.role)).sorted())
        var removals: [RepositoryStep] = []
        var warnings: [String] = []
        if all {
            let invalid = update.removeInvalidReleases(of: id)
            guard !releases.isEmpty || !invalid.isEmpty else {
                throw PublishingError(.notFound, "the repository has no such package", at: "\(id)")
            }
            for listed in releases { update.remove(listed) }
            warnings = invalid.map { "removed \($0), which is not a valid release and whose files stay" }
            removals = releases.flatMap { listed -> [RepositoryStep] in
                [.remove(path: listed.release.manifestPath), .remove(path: listed.release.archivePath)]
            }
        } else {
            for index in releases.indices {
                releases[index].release.isStopped = true
                update.insert(releases[index].release, in: releases[index].role)
            }
        }
        try folder.apply(update.steps() + removals)
        for warning in warnings { CommandOutput.log("warning: \(warning)") }
        let output = releases.map { ReleaseOutput($0.release, role: $0.role) }
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: output.map { all ? "removed \($0.line)" : $0.line })
    }
}
