// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedPublishing
internal import TrustedUpdate

/// The command `h5 explain`, which says which release a device gets, and why.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints the release of a package that a device gets, and the reasons.",
        discussion: """
            Reads the repository like a device: the metadata must be verified and must not have expired. The random \
            text of a device decides on the share; a log or Container.explainRelease has the reason of a real device.

            Without --json, prints the version that the device gets, or none, then a line for each release with the \
            reason, from the highest number to the lowest. With --json, prints {"package", "version", "releases"}: \
            version is null for none, and a release is {"version", "sequence", "reason", "detail"}. The reasons are \
            chosen, superseded, older, other-channel, stopped, not-started, host-too-old, failed-trial and \
            outside-share.
            """,
        version: ProgramVersion.current)

    @OptionGroup var arguments: PackageArguments

    @Option(help: ArgumentHelp("The channel of the device. Default: production.", valueName: "channel"))
    var channel: String?

    @Option(
        help: ArgumentHelp("The version of the app. Default: not known.", valueName: "version"),
        transform: OptionValue.hostVersion)
    var hostVersion: PackageVersion?

    @Option(help: ArgumentHelp("The random text of the device. Default: empty.", valueName: "text"))
    var seed: String = ""

    @Option(
        help: ArgumentHelp("The version that the device has. Default: none.", valueName: "version"),
        transform: OptionValue.packageVersion)
    var active: PackageVersion?

    @Option(
        help: ArgumentHelp("A version that failed its trial; can be given several times.", valueName: "version"),
        transform: OptionValue.packageVersion)
    var failed: [PackageVersion] = []

    @Option(
        help: ArgumentHelp("The time of the device; the system's clock by default.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var now: Date?

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        struct Release: Encodable {
            var version: PackageVersion
            var sequence: Int64
            var reason: String
            var detail: String
        }

        var package: PackageID
        var version: PackageVersion?
        var releases: [Release]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(package, forKey: .package)
            try container.encode(version, forKey: .version)
            try container.encode(releases, forKey: .releases)
        }

        private enum CodingKeys: String, CodingKey {
            case package, version, releases
        }
    }

    func run() async throws {
        let (repository, id) = (arguments.repository, arguments.id)
        let root = try RepositoryFolder(reading: repository).state().publishedRoot
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("h5-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var catalogue = TrustedCatalogue(
            root: root.bytes, metadataURL: LocalMetadata.url, targetsURL: LocalMetadata.url, directory: directory)
        if let channel { catalogue.channel = channel }
        catalogue.seed = seed
        let time = now ?? Date()
        catalogue.now = { time }
        let metadata = LocalMetadata(folder: repository + "/metadata")
        _ = try await catalogue.catalogue(at: LocalMetadata.url) { try metadata.document(at: $0, upTo: $1) }
        let versions = DeviceVersions(active: active, failed: Set(failed), host: hostVersion)
        let explanation = try await catalogue.explain(id, for: versions)
        guard !explanation.verdicts.isEmpty else {
            throw PublishingError(.notFound, "the repository has no such package", at: "\(id)")
        }
        let releases = explanation.verdicts.map { verdict in
            let (reason, detail) = Self.text(of: verdict.reason)
            return Output.Release(
                version: verdict.version, sequence: verdict.sequence, reason: reason, detail: detail)
        }
        guard !json else {
            return try CommandOutput.result(
                json: Output(package: id, version: explanation.version, releases: releases))
        }
        try CommandOutput.result(explanation.version.map { "\($0)" } ?? "none")
        try CommandOutput.result(lines: releases.map { "\($0.version) (\($0.sequence)): \($0.detail)" })
    }

    private static func text(of reason: ReleaseReason) -> (name: String, detail: String) {
        switch reason {
        case .chosen: ("chosen", "the device gets it")
        case .superseded: ("superseded", "a release with a higher number is for the device")
        case .older: ("older", "the device has a release with a higher number")
        case .otherChannel: ("other-channel", "it is for other channels")
        case .stopped: ("stopped", "it is withdrawn")
        case .notStarted(let time):
            ("not-started", "it starts on \(MetadataTime.text(Date(timeIntervalSince1970: Double(time))))")
        case .hostTooOld(let version): ("host-too-old", "it needs the app \(version) or later")
        case .failedTrial: ("failed-trial", "it failed its trial on the device")
        case .outsideShare(let number, let share):
            ("outside-share", "the device has number \(number), and the share is \(share) of 1000")
        }
    }
}
