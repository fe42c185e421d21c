// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import PackageFormat

/// The command `h5 verify`, which verifies an archive and its manifest.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies an archive: its structure; with a manifest, all files; with metadata, the signatures.",
        discussion: """
            Without a manifest, the archive is only compared with itself: its structure, sizes and CRC-32 checksums. \
            This detects damage but does not identify the publisher. With a manifest, the archive must contain exactly \
            its files, each with its path, size and SHA-256. A manifest with file positions also contains the size and \
            SHA-256 of the archive; these and the positions are then compared.

            With --trusted-root and --metadata, the current metadata of a repository that h5 publish writes is \
            verified from the trusted root, and must list the manifest as the target ID/VERSION.json. Otherwise, the \
            command ends with 77, or with 66 if metadata is missing. It stores no metadata, so it cannot detect that \
            the metadata is older than that of an earlier run, unless it has expired.

            Without --json, prints the number of files, their bytes and the number of compared digests, then a \
            sentence about the compared and omitted properties. With --json, prints {"archive", "manifest", "id", \
            "version", "files", "bytes", "digests", "signed"}; manifest, id and version are null without a manifest.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The archive.", valueName: "zip"))
    var archive: String

    @Argument(help: ArgumentHelp("Its manifest.", valueName: "manifest"))
    var manifest: String?

    @OptionGroup var nameOptions: NameOptions

    @OptionGroup var limitOptions: LimitOptions

    @OptionGroup var signatureOptions: SignatureOptions

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
        var signed: Bool

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
            try container.encode(signed, forKey: .signed)
        }

        enum CodingKeys: String, CodingKey {
            case archive, manifest, id, version, files, bytes, digests, signed
        }
    }

    /// Returns the sentence about the compared properties.
    private static func comparison(with manifest: PackageManifest?, isSigned: Bool) -> String {
        guard let manifest else {
            return "compared: the archive's structure, sizes and CRC-32; not compared: any SHA-256, since no "
                + "manifest was given; signatures"
        }
        return "compared: the archive's structure, and every path, size and SHA-256 with the manifest of "
            + "\(manifest.id) \(manifest.version)"
            + (isSigned ? ", and the manifest with the signed metadata" : "; not compared: signatures")
    }

    func validate() throws {
        guard manifest != nil || !signatureOptions.areGiven else {
            throw ValidationError("--trusted-root and --metadata need a manifest")
        }
    }

    func run() async throws {
        let limits = limitOptions.limits
        let read = try manifest.map { path in
            try PackageManifest.read(
                path,
                limits: ManifestLimits(
                    maxFiles: limits.maxEntries, maxTotalBytes: limits.maxTotalBytes, maxArchiveBytes: .max,
                    maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor))
        }
        let isSigned = signatureOptions.areGiven
        if isSigned, let read { try await signatureOptions.verify(read.manifest, read.bytes) }
        let promised = read?.manifest
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
                files: summary.files, bytes: summary.bytes, digests: digests, signed: isSigned)
            return try CommandOutput.result(json: output)
        }
        try CommandOutput.result("\(summary.files) files, \(summary.bytes) bytes, \(digests) digests")
        try CommandOutput.result(Self.comparison(with: promised, isSigned: isSigned))
    }
}
