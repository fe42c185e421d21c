// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
internal import Foundation
@_spi(Packaging) internal import PackageFormat
internal import PackagePublisher
internal import TrustedPublishing

/// The command `h5 publish`, which packs a site and adds it to a signed repository.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Packs a built site, and publishes it in a signed repository.",
        discussion: """
            Packs like h5 pack, with the same options. The release gets the next number. Writes the archive first, \
            then the manifest, and the metadata last. A signal or a kill leaves the old repository or the new one. \
            h5 keys init creates a repository.

            Warns of files above 1 MiB, of absolute URLs outside of the base URL in HTML, CSS and scripts, of releases \
            that --keep does not remove, because another role lists them, of files that --keep cannot remove, and of \
            releases that devices refuse, as h5 status does.

            The file h5.json in the current folder can have defaults: {"repository", "id", "baseURL", "keys", \
            "channel", "trustedRoot", "expiry"}; expiry is an object of days by role. The environment variables \
            H5_REPOSITORY, H5_ID, H5_BASE_URL, H5_KEYS (separated by commas), H5_CHANNEL, H5_TRUSTED_ROOT and \
            H5_EXPIRY_ROOT, _TARGETS, _SNAPSHOT and _TIMESTAMP override it, and options override both.

            Without --json, prints the release, and the paths of the new files. With --json, prints {"release", \
            "files", "removed", "archiveBytes", "sha256", "warnings"}: the release as in h5 status, paths in the \
            repository, bytes and SHA-256 of the archive, and texts.
            """)

    @Argument(help: ArgumentHelp("The folder of the built site.", valueName: "dir"))
    var site: String

    @Option(help: ArgumentHelp("The folder of the repository.", valueName: "repository"))
    var repository: String?

    @Option(
        help: "The package's name: 1 to 128 of A-Z a-z 0-9 . _ -, not beginning with a dot.",
        transform: OptionValue.packageID)
    var id: PackageID?

    @Option(
        name: .customLong("version"),
        help: """
            The package's version: 1 to 64 of A-Z a-z 0-9 . _ - +, not beginning with a dot; or auto for the number of \
            the release.
            """,
        transform: OptionValue.packageVersion)
    var packageVersion: PackageVersion

    @Option(
        name: .customLong("base-url"),
        help: "The http or https base URL of the site. A missing final slash is added.",
        transform: OptionValue.baseURL)
    var baseURL: PackageBaseURL?

    @OptionGroup var releaseOptions: ReleaseOptions

    @Option(
        help: ArgumentHelp("The time from which devices get the release. Default: now.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var start: Date?

    @Option(
        help: ArgumentHelp(
            """
            The number of releases of the package that remain; older ones are removed. The newest release of each \
            channel for all devices always remains. Also removes metadata that neither the new timestamp nor the \
            former one announces, except roots. Default: all.
            """, valueName: "n"),
        transform: NumberOption.integer("a number of releases", in: 1...Int.max))
    var keep: Int?

    @OptionGroup var packOptions: PackOptions

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var release: ReleaseOutput
        var files: [String]
        var removed: [String]
        var archiveBytes: Int64
        var sha256: String
        var warnings: [String]
    }

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let path = try PublishingSettings.require(repository ?? settings.repository, "--repository")
        let id = try PublishingSettings.require(id ?? settings.id, "--id")
        let baseURL = try PublishingSettings.require(baseURL ?? settings.baseURL, "--base-url")
        let folder = try RepositoryFolder(changing: path)
        let state = try options.state(of: folder, settings)
        let role = try state.role(of: id, publishing: baseURL)
        var update = try options.update(state, settings, of: [role])
        let (version, sequence) = try number(in: state, of: id)

        let staging = StagingFolder(of: path)
        staging.remove()
        defer { staging.remove() }
        let result = try packOptions.build(
            site, id: id, version: version, baseURL: baseURL, sequence: sequence, output: staging.path)
        let manifest = try FileHandle.bytes(of: result.manifest)
        var warnings = SiteWarnings(try PackageManifest(decoding: manifest), site: site).lines

        var channels = releaseOptions.channel
        if channels.isEmpty { channels = [settings.channel ?? ReleaseRecord.defaultChannel] }
        let release = ReleaseRecord(
            id, version, sequence: sequence, scope: baseURL, channels: channels,
            share: releaseOptions.share ?? ReleaseRecord.shares.upperBound, minHost: packOptions.minHost, start: start,
            manifest: manifest)
        update.insert(release, in: role)
        var outdated = try keep.map { ReleasePruning.outdated(try update.state.releases(of: id), keeping: $0) } ?? []
        // The keys of another role need not be there.
        for listed in outdated where listed.role != role {
            warnings.append("\(id) \(listed.release.version) stays, because \(listed.role) lists it")
        }
        outdated.removeAll { $0.role != role }
        for listed in outdated { update.remove(listed) }
        for warning in warnings { CommandOutput.log("warning: \(warning)") }
        let files: [RepositoryStep] = [
            .move(from: result.archive, path: release.archivePath),
            .write(path: release.manifestPath, bytes: manifest),
        ]
        let steps = try files + update.steps()
        try Task.checkCancellation()
        try folder.apply(steps)
        // Files of removed releases go after the metadata that lists them.
        let removed = prune(folder, of: outdated, since: state, &warnings)
        warnings += try await RefusedReleases.warn(of: id, in: role, folder: folder, root: state.publishedRoot)

        let output = Output(
            release: ReleaseOutput(release, role: role), files: steps.map(\.path), removed: removed,
            archiveBytes: result.archiveBytes, sha256: result.archiveSHA256.hex, warnings: warnings)
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(output.release.line)
        try CommandOutput.result(lines: output.files + output.removed.map { "removed \($0)" })
    }

    /// Removes the files of releases that are listed no more, and superseded metadata. An error is a warning, because
    /// the new release is published, and the same command again would fail with the code `exists`.
    /// - Returns: the paths of the removed files.
    private func prune(
        _ folder: RepositoryFolder, of outdated: [RepositoryState.Listed], since state: RepositoryState,
        _ warnings: inout [String]
    ) -> [String] {
        guard keep != nil else { return [] }
        var removed: [String] = []
        func attempt(_ what: String, _ body: () throws -> [String]) {
            do {
                removed += try body()
            } catch {
                let reason = (error as? PublishingError)?.message ?? "\(error)"
                warnings.append("\(what) cannot be removed: \(reason)")
                CommandOutput.log("warning: \(what) cannot be removed: \(reason)")
            }
        }
        for path in outdated.flatMap({ [$0.release.manifestPath, $0.release.archivePath] }) {
            attempt(path) {
                try folder.apply([.remove(path: path)])
                return [path]
            }
        }
        attempt("superseded metadata") { try folder.removeSupersededMetadata(since: state) }
        return removed
    }

    /// Returns the version and the number of the release.
    private func number(in state: RepositoryState, of id: PackageID) throws -> (PackageVersion, Int64) {
        let known = Set(try state.releases(of: id).map(\.release.version))
        var sequence = try state.nextSequence(of: id)
        guard "\(packageVersion)" == "auto" else {
            guard !known.contains(packageVersion) else {
                throw PublishingError(.exists, "the version is published already", at: "\(id) \(packageVersion)")
            }
            return (packageVersion, sequence)
        }
        while known.contains(try PackageVersion("\(sequence)")) { sequence += 1 }
        return (try PackageVersion("\(sequence)"), sequence)
    }
}

/// The folder for files that are not part of the repository yet. The lock of the repository protects it.
private struct StagingFolder {
    let path: String

    init(of repository: String) { path = "\(repository)/targets/.staging" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension FileHandle {
    /// Returns the bytes of a file that this process has written.
    static func bytes(of path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandError(.io, code: "io", "the file cannot be read", at: path)
        }
    }
}

/// The choice of releases that a repository no longer needs.
enum ReleasePruning {
    /// Returns the releases that are not among the newest `count` ones, and not the newest one of a channel for all
    /// devices.
    /// - Parameter releases: The releases of one package, from the highest number to the lowest.
    static func outdated(_ releases: [RepositoryState.Listed], keeping count: Int) -> [RepositoryState.Listed] {
        var served: Set<String> = []
        return releases.enumerated().filter { index, listed in
            let release = listed.release
            let isForAll =
                !release.isStopped && release.share == ReleaseRecord.shares.upperBound && release.minHost == nil
                && release.start == nil
            let isNeeded = isForAll && !served.isSuperset(of: release.channels)
            if isForAll { served.formUnion(release.channels) }
            return index >= count && !isNeeded
        }.map(\.element)
    }
}
