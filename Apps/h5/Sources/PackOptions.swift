// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import PackageFormat
internal import PackagePublisher

/// The options of the content of a package, and the build of it, for `h5 pack` and `h5 publish`.
struct PackOptions: ParsableArguments {
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
        transform: OptionValue.hostVersion)
    var minHost: PackageVersion?

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

    /// Packs a site with a progress bar, and writes the skipped files and the warnings to standard error.
    /// - Parameters:
    ///   - site: The folder of the built site.
    ///   - output: The folder of the archive and the manifest.
    /// - Throws: `PackageError` or `CancellationError`.
    func build(
        _ site: String, id: PackageID, version: PackageVersion, baseURL: PackageBaseURL, sequence: Int64?,
        output: String
    ) throws -> PackageBuilder.Result {
        let bar = ProgressBar.onTerminal("packing")
        defer { bar?.finish() }
        let result = try PackageBuilder(charset: charset, exclusions: exclude).build(
            site, id: id, version: version, baseURL: baseURL, isComplete: complete, minHost: minHost,
            sequence: sequence, output: output
        ) { progress in
            bar?.update(progress.bytes, of: progress.totalBytes)
        }
        bar?.finish()
        Self.log(result)
        return result
    }

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
}
