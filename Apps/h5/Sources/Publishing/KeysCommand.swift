// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import TrustedPublishing

/// The command `h5 keys`, which creates keys and says which keys sign a repository.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Creates keys, and changes the keys that sign a repository.",
        discussion: """
            A key is a file with mode 0600: PKCS #8 in PEM, without encryption. Its public key is the file beside it \
            whose name ends in .pub. Private keys are never printed.

            The keys of root sign the keys of the other roles, and should be offline. The key of targets signs \
            releases. The online key signs snapshot and timestamp, for example in continuous integration.
            """,
        subcommands: [
            KeysCreateCommand.self, KeysListCommand.self, KeysInitCommand.self, KeysRotateCommand.self,
            KeysSignCommand.self, KeysDelegateCommand.self, KeysRenewCommand.self,
        ])
}

/// A role as commands print it.
struct RoleOutput: Encodable {
    struct Key: Encodable {
        var id: String
        var scheme: String
    }

    var role: String
    var threshold: Int
    var keys: [Key]

    init(_ name: String, _ keys: RoleKeys) {
        role = name
        threshold = keys.threshold
        self.keys = keys.keys.map { Key(id: $0.id, scheme: $0.scheme) }
    }

    var lines: [String] {
        ["\(role): \(threshold) of \(keys.count)"] + keys.map { "  \($0.id) \($0.scheme)" }
    }
}

/// The result of a change of the root.
struct RootOutput: Encodable {
    var version: Int64
    var published: Bool
    /// The reason for which the root waits, or null if it is published.
    var obstacle: String?
    var roles: [RoleOutput]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(published, forKey: .published)
        try container.encode(obstacle, forKey: .obstacle)
        try container.encode(roles, forKey: .roles)
    }

    private enum CodingKeys: String, CodingKey {
        case version, published, obstacle, roles
    }

    /// Publishes the next root if it has enough signatures, or stores it, and prints the result.
    static func finish(_ update: inout RepositoryUpdate, in folder: RepositoryFolder, json: Bool) throws {
        guard let root = update.state.stagedRoot else { return }
        let (steps, obstacle) = try update.rootSteps()
        try folder.apply(steps)
        let output = RootOutput(
            version: root.version, published: obstacle == nil, obstacle: obstacle,
            roles: try TopRole.all.map { RoleOutput($0, try RepositoryState.keys(of: $0, in: root)) })
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(
            "root \(root.version): " + (obstacle.map { "metadata/root.next.json waits, \($0)" } ?? "published"))
        try CommandOutput.result(lines: output.roles.flatMap(\.lines))
    }
}
