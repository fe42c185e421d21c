// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import TrustedPublishing

/// The command `h5 keys init`, which creates a repository.
struct KeysInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Creates a repository with its first root metadata.",
        discussion: """
            A key is the file of a private key, which signs, or of a public key. If all signatures are there, \
            publishes metadata/1.root.json, which the app ships, and empty metadata of the other roles. Otherwise \
            writes metadata/root.next.json; h5 keys sign adds the other signatures.

            Without --json, prints the state of the root and its roles, as h5 keys list does. With --json, prints \
            {"version", "published", "obstacle", "roles"}: the reason for which the root waits, or null, and the \
            roles.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository, which is created.", valueName: "repository"))
    var repository: String

    @Option(parsing: .upToNextOption, help: ArgumentHelp("The keys of the role root.", valueName: "key"))
    var root: [String]

    @Option(
        help: ArgumentHelp("The number of root keys that must sign. Default: 1.", valueName: "n"),
        transform: NumberOption.integer("a threshold", in: 1...1_000))
    var threshold: Int?

    @Option(help: ArgumentHelp("The key of the role targets, which signs releases.", valueName: "key"))
    var targets: String

    @Option(help: ArgumentHelp("The key of the roles snapshot and timestamp.", valueName: "key"))
    var online: String

    @OptionGroup var expiryOptions: ExpiryOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let rootKeys = try root.map(PublishingOptions.readKey)
        let targetsKey = try PublishingOptions.readKey(targets)
        let onlineKey = try PublishingOptions.readKey(online)
        let onlineRole = try RoleKeys([onlineKey.publicKey], threshold: 1, of: "online")
        let roles = [
            TopRole.root: try RoleKeys(rootKeys.map(\.publicKey), threshold: threshold ?? 1, of: TopRole.root),
            TopRole.targets: try RoleKeys([targetsKey.publicKey], threshold: 1, of: TopRole.targets),
            TopRole.snapshot: onlineRole, TopRole.timestamp: onlineRole,
        ]
        // After all checks of the arguments, because it creates folders.
        let folder = try RepositoryFolder(changing: repository, creates: true)
        let state = try folder.state()
        guard state.root == nil else {
            throw PublishingError(.exists, "the repository has a root already: see h5 keys rotate", at: repository)
        }
        let signers = (rootKeys + [targetsKey, onlineKey]).compactMap(\.signingKey)
        var update = RepositoryUpdate(
            state, keys: signers, now: Date(), lifetimes: expiryOptions.lifetimes(settings))
        try update.stageRoot(roles)
        if rootKeys.contains(where: { $0.signingKey != nil }) { try update.signRoot() }
        try RootOutput.finish(&update, in: folder, json: json)
    }
}
