// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import PackageFormat
internal import TrustedPublishing

/// The command `h5 keys delegate`, which lets the keys of a team sign the releases of a package.
struct KeysDelegateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delegate",
        abstract: "Lets the keys of a team sign the releases of one package.",
        discussion: """
            The keys of targets sign the delegation. A second call for a package replaces its keys, its threshold and \
            its scope. After other keys, the team signs its metadata again: h5 keys renew --package. Releases that \
            targets lists already stay there. Warns of releases outside of the scope.

            Without --json, prints the role and its keys. With --json, prints {"role", "threshold", "keys"}.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @Option(help: ArgumentHelp("The package.", valueName: "id"), transform: OptionValue.packageID)
    var package: PackageID

    @Option(
        help: ArgumentHelp("The URL below which the base URLs of the team must lie. Default: any.", valueName: "url"),
        transform: OptionValue.baseURL)
    var scope: PackageBaseURL?

    @Option(
        name: .customLong("public"), parsing: .upToNextOption,
        help: ArgumentHelp("The files of the team's public keys.", valueName: "key"))
    var publicKeys: [String]

    @Option(
        help: ArgumentHelp("The number of keys that must sign. Default: 1.", valueName: "n"),
        transform: NumberOption.integer("a threshold", in: 1...1_000))
    var threshold: Int?

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let keys = try RoleKeys(
            try publicKeys.map { try KeyFile.read($0).publicKey }, threshold: threshold ?? 1, of: "\(package)")
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let folder = try RepositoryFolder(changing: path)
        let state = try options.state(of: folder, settings)
        var update = try options.update(state, settings)
        try update.insert(try PackageDelegation(of: package, to: keys, scope: scope))
        let steps = try update.steps()
        // The scope does not apply to releases of targets.
        for listed in try state.releases(of: package) where listed.role == "\(package)" {
            guard let scope, !listed.release.scope.lies(under: scope) else { continue }
            CommandOutput.log(
                "warning: \(package) \(listed.release.version) is for \(listed.release.scope), outside of the scope; "
                    + "devices refuse the package until this release is removed")
        }
        try folder.apply(steps)
        let output = RoleOutput("\(package)", keys)
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: output.lines)
    }
}
