// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import NameResolution
internal import PackageFormat
internal import TrustedPublishing
internal import TrustedUpdate

/// The command line for offline packages.
@main
struct H5: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "h5",
        abstract: """
            Packs, unpacks, verifies and serves offline packages; publishes signed releases, and downloads by \
            metadata of The Update Framework; checks rules, config and tables; inspects resource tables, stores and \
            cookies; runs an HTTP cache in front of an origin; resolves hosts by DNS over HTTPS.
            """,
        discussion: CommonHelp.contract + " h5 --version prints the version.",
        subcommands: [
            Pack.self, Unpack.self, Verify.self, KeysCommand.self, PublishCommand.self, PromoteCommand.self,
            RollbackCommand.self, WithdrawCommand.self, StatusCommand.self, ExplainCommand.self, TrustCommand.self,
            CheckCommand.self, Table.self, Store.self, Serve.self, CacheProxy.self, CookiesCommand.self,
            ResolveCommand.self, Version.self,
        ])

    // This configuration sets no `version`, because a version of the root command applies to all commands. It would
    // hide the `--version` option of some commands and appear twice in their help. The other commands set `version`
    // themselves.
    static func main() async {
        let asksForVersion = CommandLine.arguments.dropFirst().elementsEqual(["--version"])
        await CommandRunner.run(H5.self, arguments: asksForVersion ? ["version"] : nil) { error in
            switch error {
            case let error as PackageError: CommandError(error)
            case let error as TrustError: CommandError(error)
            case let error as PublishingError: CommandError(error)
            case let error as NameResolutionError: CommandError(error)
            default: nil
            }
        }
    }
}
