// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import PackageFormat

/// The command line for offline packages.
@main
struct H5: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "h5",
        abstract: """
            Packs, unpacks, verifies and serves offline packages; looks into resource tables and stores; is an HTTP \
            cache before an origin.
            """,
        discussion: CommonHelp.contract + " h5 --version prints the version.",
        subcommands: [
            Pack.self, Unpack.self, Verify.self, Table.self, Store.self, Serve.self, CacheProxy.self, Version.self,
        ])

    // The configuration's `version` would take `--version` from every command, also from those that have an option of
    // this name, and list it twice in their help. The other commands name it in their own configuration.
    static func main() async {
        let asksForVersion = CommandLine.arguments.dropFirst().elementsEqual(["--version"])
        await CommandRunner.run(H5.self, arguments: asksForVersion ? ["version"] : nil) { error in
            (error as? PackageError).map(CommandError.init)
        }
    }
}
