// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import TrustedPublishing

/// The command `h5 keys rotate`, which changes the keys of a role.
struct KeysRotateCommand: AsyncParsableCommand {
    /// The name for the roles `snapshot` and `timestamp`, which have the same key after `h5 keys init`.
    private static let online = "online"

    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Adds and removes keys of a role by the next root metadata.",
        discussion: """
            The threshold of the current root keys and, if they change, that of the next ones must sign. If fewer keys \
            are given, writes metadata/root.next.json; h5 keys sign adds the other signatures. The next root is \
            published together with metadata that the new keys sign: give those keys too. Without --add, --remove and \
            --threshold, the next root only expires later. If a root waits for signatures already, the command fails \
            (exists): sign it with h5 keys sign, or remove metadata/root.next.json to give it up.

            h5 keys delegate changes the keys of a package.

            The output is that of h5 keys init.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder of the repository. Default: that of h5.json.", valueName: "repository"))
    var repository: String?

    @Option(
        help: ArgumentHelp(
            "root, targets, snapshot, timestamp, or online for both snapshot and timestamp.", valueName: "role"),
        transform: { text in
            guard (TopRole.all + [online]).contains(text) else { throw ValidationError("no such role: '\(text)'") }
            return text
        })
    var role: String

    @Option(parsing: .upToNextOption, help: ArgumentHelp("The files of keys to add.", valueName: "key"))
    var add: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The identifiers of keys to remove, or unique beginnings of them.", valueName: "id"))
    var remove: [String] = []

    @Option(
        help: ArgumentHelp("The number of keys that must sign. Default: unchanged.", valueName: "n"),
        transform: NumberOption.integer("a threshold", in: 1...1_000))
    var threshold: Int?

    @OptionGroup var options: PublishingOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let settings = try await PublishingSettings.load()
        let added = try add.map(PublishingOptions.readKey)
        let path = try PublishingSettings.require(repository ?? settings.repository, "repository")
        let folder = try RepositoryFolder(changing: path)
        let state = try options.state(of: folder, settings)
        let current = try state.publishedRoot
        var roles: [String: RoleKeys] = [:]
        for name in role == Self.online ? [TopRole.snapshot, TopRole.timestamp] : [role] {
            let keys = try RepositoryState.keys(of: name, in: current)
            var remaining = keys.keys
            for id in remove {
                let found = keys.keys.filter { $0.id.hasPrefix(id) }
                guard found.count == 1 else {
                    throw PublishingError(
                        .notFound, found.isEmpty ? "the role \(name) has no such key" : "several keys begin so", at: id)
                }
                remaining.removeAll { $0 == found[0] }
            }
            roles[name] = try RoleKeys(
                remaining + added.map(\.publicKey), threshold: threshold ?? keys.threshold, of: name)
        }
        let keys = try options.signingKeys(settings) + added.compactMap(\.signingKey)
        var update = RepositoryUpdate(
            state, keys: keys, now: .now, lifetimes: options.expiryOptions.lifetimes(settings))
        try update.stageRoot(roles)
        try update.signRoot()
        try RootOutput.finish(&update, in: folder, json: json)
    }
}
