// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import PackageFormat

/// The command `h5 verify`, which verifies an archive and its manifest.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies the structure of an archive and, with a manifest, every digest, size and path.",
        discussion: """
            Without a manifest, the archive is only compared with itself: its structure, sizes and CRC-32 checksums. \
            This detects damage but does not identify the publisher. With a manifest, the archive must contain exactly \
            its files, each with its path, size and SHA-256. A manifest with file positions also contains the size and \
            SHA-256 of the archive; these and the positions are then compared.

            Without --json, prints the number of files, their bytes and the number of compared digests, then a \
            sentence about the compared and omitted properties. With --json, prints {"archive", "manifest", "id", \
            "version", "files", "bytes", "digests"}; manifest, id and version are null without a manifest.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The archive.", valueName: "zip"))
    var archive: String

    @Argument(help: ArgumentHelp("Its manifest.", valueName: "manifest"))
    var manifest: String?

    @OptionGroup var nameOptions: NameOptions

    @OptionGroup var limitOptions: LimitOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var archive: String
        var manifest: String?
        var id: PackageID?
        var version: PackageVersion?
        var files: Int
        var bytes: Int64
        var digests: Int

        /// Encodes missing values as null.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(archive, forKey: .archive)
            try container.encode(manifest, forKey: .manifest)
            try container.encode(id, forKey: .id)
            try container.encode(version, forKey: .version)
            try container.encode(files, forKey: .files)
            try container.encode(bytes, forKey: .bytes)
            try container.encode(digests, forKey: .digests)
        }

        enum CodingKeys: String, CodingKey {
            case archive, manifest, id, version, files, bytes, digests
        }
    }

    /// Returns the sentence about the compared properties.
    private static func comparison(with manifest: PackageManifest?) -> String {
        guard let manifest else {
            return "compared: the archive's structure, sizes and CRC-32; not compared: any SHA-256, since no "
                + "manifest was given; signatures"
        }
        return "compared: the archive's structure, and every path, size and SHA-256 with the manifest of "
            + "\(manifest.id) \(manifest.version); not compared: signatures"
    }

    func run() async throws {
        let limits = limitOptions.limits
        let promised = try manifest.map { path in
            try PackageManifest(
                path: path,
                limits: ManifestLimits(
                    maxFiles: limits.maxEntries, maxTotalBytes: limits.maxTotalBytes, maxArchiveBytes: .max,
                    maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor))
        }
        let bar = ProgressBar.onTerminal("verifying")
        defer { bar?.finish() }
        let reader = ProgressReader.make(ArchiveReader(names: nameOptions.names), bar) {
            promised.map { $0.files.reduce(0) { $0 + $1.size } }
                ?? (try? ZipValidator(limits: limits, names: nameOptions.names).validate(archive).totalSize)
        }
        let verifier = PackageVerifier(reader: reader, limits: limits, names: nameOptions.names)
        let summary =
            if let promised {
                try verifier.verify(archive, against: promised)
            } else {
                try verifier.verify(archive)
            }
        bar?.finish()
        let digests = promised == nil ? 0 : summary.files
        guard !json else {
            let output = Output(
                archive: archive, manifest: manifest, id: promised?.id, version: promised?.version,
                files: summary.files, bytes: summary.bytes, digests: digests)
            return try CommandOutput.result(json: output)
        }
        try CommandOutput.result("\(summary.files) files, \(summary.bytes) bytes, \(digests) digests")
        try CommandOutput.result(Self.comparison(with: promised))
    }
}
