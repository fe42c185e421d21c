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
            it. h5 rollback replaces it on all devices. Without a version, the package disappears from the catalogue, \
            and its files are removed from the repository. Warns of removed targets that are not valid releases.

            Without --json, prints the releases that are withdrawn. With --json, prints a list of them as in h5 status.
            """,
        version: ProgramVersion.current)

    @OptionGroup var arguments: PackageArguments

    @Argument(
        help: ArgumentHelp("The version. Default: the whole package.", valueName: "version"),
        transform: OptionValue.packageVersion)
    var releaseVersion: PackageVersion?

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let id = arguments.id
        let folder = try RepositoryFolder(changing: arguments.repository)
        let state = try options.state(of: folder, settings)
        var update = try options.update(state, settings)
        var releases: [RepositoryState.Listed]
        var removals: [RepositoryStep] = []
        var warnings: [String] = []
        if let releaseVersion {
            var listed = try state.release(id, releaseVersion)
            listed.release.isStopped = true
            update.insert(listed.release, in: listed.role)
            releases = [listed]
        } else {
            try state.checkMetadata(of: state.role(of: id))
            releases = try state.releases(of: id)
            let invalid = update.removeInvalidReleases(of: id)
            guard !releases.isEmpty || !invalid.isEmpty else {
                throw PublishingError(.notFound, "the repository has no such package", at: "\(id)")
            }
            for listed in releases { update.remove(listed) }
            warnings = invalid.map { "removed \($0), which is not a valid release and whose files stay" }
            removals = releases.flatMap { listed -> [RepositoryStep] in
                [.remove(path: listed.release.manifestPath), .remove(path: listed.release.archivePath)]
            }
        }
        try folder.apply(update.steps() + removals)
        for warning in warnings { CommandOutput.log("warning: \(warning)") }
        let output = releases.map { ReleaseOutput($0.release, role: $0.role) }
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: output.map { releaseVersion == nil ? "removed \($0.line)" : $0.line })
    }
}
