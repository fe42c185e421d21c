// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import PackageFormat
internal import TrustedPublishing

/// The command `h5 promote`, which gives a release to more devices.
struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Changes the share and the channels of a release.",
        discussion: """
            A release that was withdrawn continues. Channels replace those of the release; without --channel they \
            stay. A device that is in a share is also in each larger one. Warns of releases that devices refuse, as h5 \
            status does.

            Without --json, prints the release. With --json, prints it as in h5 status.
            """,
        version: ProgramVersion.current)

    @OptionGroup var arguments: ReleaseArguments

    @OptionGroup var releaseOptions: ReleaseOptions

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        try await arguments.change(options, json: json) { release in
            release.isStopped = false
            release.share = releaseOptions.share ?? ReleaseRecord.shares.upperBound
            if !releaseOptions.channel.isEmpty { release.channels = releaseOptions.channel }
        }
    }
}

/// The arguments that name a release of a repository.
struct ReleaseArguments: ParsableArguments {
    @OptionGroup var packageArguments: PackageArguments

    @Argument(help: ArgumentHelp("The version.", valueName: "version"), transform: OptionValue.packageVersion)
    var releaseVersion: PackageVersion

    /// Changes the conditions of the release, and prints it.
    func change(
        _ options: PublishingOptions, json: Bool, _ body: (inout ReleaseRecord) -> Void
    ) async throws {
        let settings = try await PublishingSettings.load()
        let folder = try RepositoryFolder(changing: packageArguments.repository)
        let state = try options.state(of: folder, settings)
        var listed = try state.release(packageArguments.id, releaseVersion)
        body(&listed.release)
        var update = try options.update(state, settings, of: [listed.role])
        update.insert(listed.release, in: listed.role)
        try folder.apply(update.steps())
        try await RefusedReleases.warn(
            of: packageArguments.id, in: listed.role, folder: folder, root: state.publishedRoot)
        let output = ReleaseOutput(listed.release, role: listed.role)
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(output.line)
    }
}
