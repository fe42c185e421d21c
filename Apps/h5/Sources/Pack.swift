// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
internal import PackageFormat
internal import PackagePublisher

/// The command `h5 pack`, which builds a package from a built site.
struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Builds ID-VERSION.zip and its manifest ID-VERSION.json from a built site.",
        discussion: """
            The same site produces the same bytes. Hidden files are skipped and listed on standard error: names that \
            begin with a dot (except .well-known), Thumbs.db, desktop.ini and __MACOSX. Links and devices are refused.

            A text file has a charset in the manifest if the file declares one (by a byte order mark, <meta charset>, \
            an XML declaration or @charset) or is valid UTF-8 with non-ASCII characters. Otherwise the page that uses \
            the file determines the charset, as with a server that sends none.

            An existing package with the same name is replaced. A signal stops the work and keeps the existing files. \
            A kill leaves at most hidden files whose names end in .partial and, between the two renames, the new zip \
            with the old manifest; `h5 verify` and downloads reject that pair by the SHA-256 of the zip.

            Without --json, prints the paths of the zip and of the manifest, then the number of files, their bytes \
            and those of the zip. With --json, prints {"archive", "manifest", "id", "version", "baseURL", \
            "complete", "minHost", "sequence", "files", "bytes", "archiveBytes", "sha256", "skipped"}: two paths, three \
            strings, a Boolean, the values of --min-host and --sequence if given, the number of files, their \
            bytes, the bytes and the SHA-256 of the zip, and the skipped names.
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
        transform: { text in try OptionValue.parse { try PackageBaseURL(text.hasSuffix("/") ? text : text + "/") } })
    var baseURL: PackageBaseURL

    @Flag(
        help: """
            The package contains everything under the base URL. Other paths get status 404, a folder without its \
            final slash is redirected, and the network is not used.
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
    }

    func run() async throws {
        let bar = ProgressBar.onTerminal("packing")
        defer { bar?.finish() }
        let result = try PackageBuilder(charset: charset).build(
            site, id: id, version: packageVersion, baseURL: baseURL, isComplete: complete, minHost: minHost,
            sequence: sequence, output: out
        ) { progress in
            bar?.update(progress.bytes, of: progress.totalBytes)
        }
        bar?.finish()
        if !result.skipped.isEmpty {
            let more = result.skipped.count > 5 ? ", …" : ""
            let names = result.skipped.prefix(5).joined(separator: ", ") + more
            CommandOutput.log("note: skipped \(result.skipped.count) hidden files: \(names)")
        }
        guard !json else {
            let output = Output(
                archive: result.archive, manifest: result.manifest, id: id, version: packageVersion, baseURL: baseURL,
                complete: complete, minHost: minHost, sequence: sequence, files: result.files, bytes: result.bytes,
                archiveBytes: result.archiveBytes, sha256: result.archiveSHA256, skipped: result.skipped)
            return try CommandOutput.result(json: output)
        }
        try CommandOutput.result(result.archive)
        try CommandOutput.result(result.manifest)
        try CommandOutput.result("\(result.files) files, \(result.bytes) bytes, packed \(result.archiveBytes) bytes")
    }
}
