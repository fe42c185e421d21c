// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedPublishing

/// The command `h5 rollback`, which publishes the files of an earlier release again.
struct RollbackCommand: AsyncParsableCommand {
    /// The maximum number of bytes of a manifest.
    private static let maxManifestBytes = 64 << 20

    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Publishes the files of an earlier release again, under a higher version and number.",
        discussion: """
            Devices never go back to a lower number. The new release has the version VERSION-rNUMBER, the files of \
            VERSION, and all devices of the channels of VERSION and of later releases. Warns if VERSION was withdrawn.

            Without --json, prints the release. With --json, prints it as in h5 status.
            """,
        version: ProgramVersion.current)

    @OptionGroup var arguments: PackageArguments

    @Option(
        help: ArgumentHelp("The version whose files are published again.", valueName: "version"),
        transform: OptionValue.packageVersion)
    var to: PackageVersion

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let id = arguments.id
        let folder = try RepositoryFolder(changing: arguments.repository)
        let state = try options.state(of: folder, settings)
        let former = try state.release(id, to).release
        let bytes = try folder.bytes(of: former.manifestPath, maxBytes: Self.maxManifestBytes)
        guard former.matches(bytes) else {
            throw PublishingError(.badMetadata, "not the manifest that the metadata lists", at: former.manifestPath)
        }
        var manifest = try PackageManifest(decoding: bytes)
        guard let archive = manifest.archive else {
            throw PublishingError(.badMetadata, "a manifest without the digest of an archive", at: former.manifestPath)
        }
        try folder.verifyArchive(of: former, as: archive)
        let role = try state.role(of: id, publishing: former.scope)
        let sequence = try state.nextSequence(of: id)
        manifest.version = try Self.version(sequence, of: to)
        manifest.sequence = sequence
        let text = try manifest.encoded()
        var channels = former.channels
        for listed in try state.releases(of: id) where listed.release.sequence > former.sequence {
            channels += listed.release.channels.filter { !channels.contains($0) }
        }
        let release = ReleaseRecord(
            id, manifest.version, sequence: sequence, scope: former.scope, channels: channels,
            share: ReleaseRecord.shares.upperBound, minHost: former.minHost, start: nil, manifest: text)
        var update = try options.update(state, settings, of: [role])
        update.insert(release, in: role)
        let files: [RepositoryStep] = [
            .link(from: former.archivePath, path: release.archivePath),
            .write(path: release.manifestPath, bytes: text),
        ]
        try folder.apply(files + update.steps())
        if former.isStopped {
            CommandOutput.log("warning: \(id) \(to) was withdrawn, and devices get its files again")
        }
        let output = ReleaseOutput(release, role: role)
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(output.line)
    }

    /// Returns the version of a rollback: the version, without the suffix of an earlier rollback, and the number.
    private static func version(_ sequence: Int64, of former: PackageVersion) throws -> PackageVersion {
        var base = "\(former)"
        if let dash = base.lastIndex(of: "-"), base[dash...].hasPrefix("-r"), Int64(base[dash...].dropFirst(2)) != nil {
            base = String(base[..<dash])
        }
        // A plus sign would be a space in the URLs of some object stores.
        return try PackageVersion("\(base)-r\(sequence)")
    }
}
