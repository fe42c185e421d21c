// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
@_spi(Packaging) internal import PackageFormat
internal import PackagePublisher

/// The command `h5 pack`, which builds a package from a built site.
struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Builds ID-VERSION.zip and its manifest ID-VERSION.json from a built site.",
        discussion: """
            The same site produces the same bytes with one version of zlib. Skipped files are listed on standard \
            error: hidden ones (names that begin with a dot except .well-known, Thumbs.db, desktop.ini and __MACOSX), \
            source maps (NAME.map beside NAME), compressed copies (NAME.br, NAME.gz and NAME.zst beside NAME) and \
            those of --exclude. Links and devices are refused.

            A file _headers in the root of the site adds response fields: a line with a path such as /docs/* or /*, \
            then indented lines of the form Name: value. It is not packed. These fields are possible: \
            \(ResponseFieldRule.allowedFields.joined(separator: ", ")). Cache-Control needs no-cache or no-store. \
            Other fields are left out with a warning.

            Names that Windows cannot store cause a warning. Names that differ only in case or Unicode form are refused.

            A text file has a charset in the manifest if the file declares one (by a byte order mark, <meta charset>, \
            an XML declaration or @charset) or is valid UTF-8 with non-ASCII characters. Otherwise the page that uses \
            the file determines the charset, as with a server that sends none.

            An existing package with the same name is replaced. A signal stops the work and keeps the existing files. \
            A kill leaves at most hidden files whose names end in .partial and, between the two renames, the new zip \
            with the old manifest; `h5 verify` and downloads reject that pair by the SHA-256 of the zip.

            Without --json, prints the paths of the zip and of the manifest, then the number of files, their bytes \
            and those of the zip. With --json, prints {"archive", "manifest", "id", "version", "baseURL", \
            "complete", "minHost", "sequence", "files", "bytes", "archiveBytes", "sha256", "skipped", "skippedCount", \
            "warnings", "warningCount"}: two paths, three strings, a Boolean, the values of --min-host and --sequence \
            if given, the number of files, their bytes, the bytes and the SHA-256 of the zip, the first 1,000 skipped \
            names and their number, and the first 1,000 warnings, each {"path", "problem"}, and their number.
            """)

    @Argument(help: ArgumentHelp("The folder of the built site.", valueName: "dir"))
    var site: String

    @Option(
        help: "The package's name: 1 to 128 of A-Z a-z 0-9 . _ -, not beginning with a dot.",
        transform: OptionValue.packageID)
    var id: PackageID

    @Option(
        name: .customLong("version"),
        help: "The package's version: 1 to 64 of A-Z a-z 0-9 . _ - +, not beginning with a dot.",
        transform: OptionValue.packageVersion)
    var packageVersion: PackageVersion

    @Option(
        name: .customLong("base-url"),
        help: "The http or https base URL of the site. A missing final slash is added.",
        transform: OptionValue.baseURL)
    var baseURL: PackageBaseURL

    @Option(
        help: ArgumentHelp(
            """
            The sequence number of the manifest, 1 to 2^53 - 1. It must increase with each publication. A device \
            rejects a lower number, or none, after it has installed a manifest with a number. Default: none.
            """, valueName: "number"),
        transform: { text in
            guard let number = Int64(text), PackageManifest.sequences.contains(number) else {
                throw ValidationError("a sequence number is an integer from 1 to 2^53 - 1")
            }
            return number
        })
    var sequence: Int64?

    @OptionGroup var options: PackOptions

    @Option(help: ArgumentHelp("The output folder, which is created if necessary.", valueName: "dir"))
    var out: String = "."

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var archive: String
        var manifest: String
        var id: PackageID
        var version: PackageVersion
        var baseURL: PackageBaseURL
        var complete: Bool
        var minHost: PackageVersion?
        var sequence: Int64?
        var files: Int
        var bytes: Int64
        var archiveBytes: Int64
        var sha256: SHA256Digest
        var skipped: [String]
        var skippedCount: Int
        var warnings: [Warning]
        var warningCount: Int

        struct Warning: Encodable {
            var path: String
            var problem: String
        }
    }

    /// The maximum number of names and of warnings in the JSON.
    private static let jsonLimit = 1_000
    func run() async throws {
        let result = try options.build(
            site, id: id, version: packageVersion, baseURL: baseURL, sequence: sequence, output: out)
        guard !json else {
            let output = Output(
                archive: result.archive, manifest: result.manifest, id: id, version: packageVersion, baseURL: baseURL,
                complete: options.complete, minHost: options.minHost, sequence: sequence, files: result.files,
                bytes: result.bytes, archiveBytes: result.archiveBytes, sha256: result.archiveSHA256,
                skipped: result.skipped.prefix(Self.jsonLimit).map(\.path), skippedCount: result.skipped.count,
                warnings: result.warnings.prefix(Self.jsonLimit).map {
                    Output.Warning(path: $0.path, problem: $0.problem)
                }, warningCount: result.warnings.count)
            return try CommandOutput.result(json: output)
        }
        try CommandOutput.result(result.archive)
        try CommandOutput.result(result.manifest)
        try CommandOutput.result("\(result.files) files, \(result.bytes) bytes, packed \(result.archiveBytes) bytes")
    }
}
