// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import PackageFormat

/// The command `h5 unpack`, which extracts an archive safely.
struct Unpack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unpacks a zip, tar.gz or tar.zst completely or not at all.",
        discussion: """
            The folder must be empty or absent, and is unchanged after an error. The command refuses names that leave \
            the folder or collide, names in an unknown encoding, links and devices, encrypted and damaged entries, and \
            archives that exceed the limits. A signal stops the work and leaves nothing. A kill leaves at most a \
            hidden folder next to the target, whose name ends in .partial.

            Without --json, prints the number of files and their bytes. With --json, prints {"directory", "files", \
            "bytes"}.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The archive.", valueName: "zip"))
    var archive: String

    @Option(help: ArgumentHelp("The folder to unpack into.", valueName: "dir"))
    var into: String

    @OptionGroup var nameOptions: NameOptions

    @OptionGroup var limitOptions: LimitOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var directory: String
        var files: Int
        var bytes: Int64
    }

    func run() async throws {
        let limits = limitOptions.limits
        let bar = ProgressBar.onTerminal("unpacking")
        defer { bar?.finish() }
        let reader = ProgressReader.make(ArchiveReader(names: nameOptions.names), bar) {
            try? ZipValidator(limits: limits, names: nameOptions.names).validate(archive).totalSize
        }
        let summary = try Unpacker(reader: reader, limits: limits).unpack(archive, into: into)
        bar?.finish()
        if json {
            try CommandOutput.result(json: Output(directory: into, files: summary.files, bytes: summary.bytes))
        } else {
            try CommandOutput.result("\(summary.files) files, \(summary.bytes) bytes")
        }
    }
}
