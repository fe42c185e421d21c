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
        transform: { text in try OptionValue.parse { try PackageID(text) } })
    var id: PackageID

    @Option(
        name: .customLong("version"),
        help: "The package's version: 1 to 64 of A-Z a-z 0-9 . _ - +, not beginning with a dot.",
        transform: { text in try OptionValue.parse { try PackageVersion(text) } })
    var packageVersion: PackageVersion

    @Option(
        name: .customLong("base-url"),
        help: "The http or https base URL of the site. A missing final slash is added.",
        transform: { text in
            try OptionValue.parse { try PackageBaseURL(text.utf8.last == UInt8(ascii: "/") ? text : text + "/") }
        })
    var baseURL: PackageBaseURL

    @Flag(
        help: """
            The package contains everything under the base URL. Other paths get status 404, a folder without its \
            final slash is redirected, and the container does not use the network for them.
            """)
    var complete = false

    @Option(
        name: .customLong("min-host"),
        help: ArgumentHelp(
            "The minimum version of the app: numbers separated by dots. Default: any.",
            valueName: "version"),
        transform: { text in
            guard HostVersion(text) != nil else {
                throw ValidationError("an app version is numbers separated by dots, each of at most nine digits")
            }
            return try OptionValue.parse { try PackageVersion(text) }
        })
    var minHost: PackageVersion?

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

    @Option(
        help: ArgumentHelp(
            "The charset of text files that do not declare one, such as gbk. Default: UTF-8 if detected.",
            valueName: "name"),
        transform: { text in
            guard let encoding = CharacterEncoding(label: text), encoding != .replacement else {
                throw ValidationError("not a charset of the WHATWG Encoding standard: '\(text)'")
            }
            return encoding
        })
    var charset: CharacterEncoding?

    @Option(
        help: ArgumentHelp(
            """
            A pattern of files and folders to leave out; can be given several times. * is any characters except /, \
            ? is one, ** is any characters. A pattern without / matches names at any depth, another one paths from \
            the root of the site. A / at the end matches folders only.
            """, valueName: "glob"),
        transform: { text in try OptionValue.parse { try SiteGlob(text) } })
    var exclude: [SiteGlob] = []

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
    /// The maximum number of names in a note and of warnings on standard error.
    private static let noteLimit = 20

    /// Writes the skipped files and the warnings to standard error.
    private static func log(_ result: PackageBuilder.Result) {
        for reason in PackageBuilder.SkippedFile.Reason.allCases {
            let paths = result.skipped.filter { $0.reason == reason }.map(\.path)
            guard !paths.isEmpty else { continue }
            let isOne = paths.count == 1
            let kind =
                switch reason {
                case .hidden: isOne ? "hidden file" : "hidden files"
                case .sourceMap: isOne ? "source map" : "source maps"
                case .compressedCopy: isOne ? "compressed copy" : "compressed copies"
                case .excluded: isOne ? "excluded file or folder" : "excluded files and folders"
                }
            let names = paths.prefix(noteLimit).joined(separator: ", ")
            CommandOutput.log("note: skipped \(paths.count) \(kind): \(names)\(paths.count > noteLimit ? ", …" : "")")
        }
        for warning in result.warnings.prefix(noteLimit) {
            CommandOutput.log("warning: \(warning.problem) (\(warning.path))")
        }
        if result.warnings.count > noteLimit {
            CommandOutput.log("warning: \(result.warnings.count - noteLimit) more")
        }
    }

    func run() async throws {
        let bar = ProgressBar.onTerminal("packing")
        defer { bar?.finish() }
        let result = try PackageBuilder(charset: charset, exclusions: exclude).build(
            site, id: id, version: packageVersion, baseURL: baseURL, isComplete: complete, minHost: minHost,
            sequence: sequence, output: out
        ) { progress in
            bar?.update(progress.bytes, of: progress.totalBytes)
        }
        bar?.finish()
        Self.log(result)
        guard !json else {
            let output = Output(
                archive: result.archive, manifest: result.manifest, id: id, version: packageVersion, baseURL: baseURL,
                complete: complete, minHost: minHost, sequence: sequence, files: result.files, bytes: result.bytes,
                archiveBytes: result.archiveBytes, sha256: result.archiveSHA256,
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
