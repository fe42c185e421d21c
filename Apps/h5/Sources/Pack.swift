// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContentDigest
internal import PackageFormat
internal import PackagePublisher

/// `h5 pack`: a package out of a built site.
struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Builds ID-VERSION.zip and its manifest ID-VERSION.json from a built site.",
        discussion: """
            The same site gives the same bytes. Hidden files are skipped and named on standard error: names that begin \
            with a dot (but for .well-known), Thumbs.db, desktop.ini and __MACOSX. Links and devices are refused.

            A text file's type in the manifest has a charset where the file declares one (by a byte order mark, <meta \
            charset>, an XML declaration or @charset) or is valid UTF-8 beyond ASCII. Without a charset the page that uses \
            the file decides, as on a server that names none.

            An earlier package of the same name is replaced. A signal stops the work and leaves what was there; a \
            kill leaves at most hidden files whose names end in .partial, and, between the two renames, the new zip \
            beside the old manifest: a pair that `h5 verify` and downloads refuse by the zip's SHA-256.

            Without --json, prints the paths of the zip and of the manifest, then the number of files, their bytes \
            and those of the zip. With --json, prints {"archive", "manifest", "id", "version", "baseURL", \
            "complete", "minHost", "sequence", "files", "bytes", "archiveBytes", "sha256", "skipped"}: two paths, three \
            texts, a truth value, the version of --min-host and the number of --sequence where they were given, the \
            number of files, their bytes, the bytes and the SHA-256 of the zip, and the names that were skipped.
            """)

    @Argument(help: ArgumentHelp("The folder of the built site.", valueName: "dir"))
    var site: String

    @Option(
        help: "The package's name: 1 to 128 of A-Z a-z 0-9 . _ -, the first of them no dot.",
        transform: { text in try OptionValue.parse { try PackageID(text) } })
    var id: PackageID

    @Option(
        name: .customLong("version"),
        help: "The package's version: 1 to 64 of A-Z a-z 0-9 . _ - +, the first of them no dot.",
        transform: { text in try OptionValue.parse { try PackageVersion(text) } })
    var packageVersion: PackageVersion

    @Option(
        name: .customLong("base-url"),
        help: "The http or https URL that the site stands under. A missing slash at its end is added.",
        transform: { text in try OptionValue.parse { try PackageBaseURL(text.hasSuffix("/") ? text : text + "/") } })
    var baseURL: PackageBaseURL

    @Flag(
        help: """
            The site has nothing else under the base URL, as static sites do: what the package lacks is answered \
            404, a folder without its slash is led to the one with it, and the network is not asked.
            """)
    var complete = false

    @Option(
        name: .customLong("min-host"),
        help: ArgumentHelp(
            "The least version of the app that the package works in: numbers between dots. Default: any.",
            valueName: "version"),
        transform: { text in
            guard HostVersion(text) != nil else {
                throw ValidationError("a version of the app is numbers between dots, each of at most nine digits")
            }
            return try OptionValue.parse { try PackageVersion(text) }
        })
    var minHost: PackageVersion?

    @Option(
        help: ArgumentHelp(
            """
            The manifest's number, 1 to 2^53 - 1, higher than those published before. A device that has installed one \
            with a number takes no lower one, and none without. Default: none.
            """, valueName: "number"),
        transform: { text in
            guard let number = Int64(text), PackageManifest.sequences.contains(number) else {
                throw ValidationError("a manifest's number is an integer from 1 to 2^53 - 1")
            }
            return number
        })
    var sequence: Int64?

    @Option(
        help: ArgumentHelp(
            "The charset of text files that do not declare one, such as gbk. Default: UTF-8 where it is certain.",
            valueName: "name"),
        transform: { text in
            guard let encoding = CharacterEncoding(label: text), encoding != .replacement else {
                throw ValidationError("no charset of the WHATWG Encoding standard: '\(text)'")
            }
            return encoding
        })
    var charset: CharacterEncoding?

    @Option(help: ArgumentHelp("The folder to write into; made where it is missing.", valueName: "dir"))
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
            CommandOutput.log("note: skipped \(result.skipped.count) hidden: \(names)")
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
