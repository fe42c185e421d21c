// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import TrustedPublishing

/// The command `h5 keys create`, which creates a key pair.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a private key, and its public key in FILE.pub.",
        discussion: """
            Existing files are not replaced. Keep the private key out of version control. A file inside a repository \
            is refused (65), because uploads of the repository would publish it.

            Without --json, prints the identifier of the key and both paths. With --json, prints {"id", "scheme", \
            "privateKey", "publicKey"}: two strings and two paths.
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The file of the private key.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The type of the key: \(SigningKey.Kind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "type"),
        transform: { text in
            guard let kind = SigningKey.Kind(rawValue: text) else {
                throw ValidationError("not a type of key: '\(text)'")
            }
            return kind
        })
    var type: SigningKey.Kind = .ed25519

    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Output: Encodable {
        var id: String
        var scheme: String
        var privateKey: String
        var publicKey: String
    }

    func run() async throws {
        if let repository = Self.repository(of: file) {
            throw PublishingError(.badValue, "a private key cannot be inside a repository: \(repository)", at: file)
        }
        let key = SigningKey(generating: type)
        try KeyFile.create(key, at: file)
        let output = Output(
            id: key.publicKey.id, scheme: key.publicKey.scheme, privateKey: file,
            publicKey: KeyFile.publicPath(of: file))
        guard !json else { return try CommandOutput.result(json: output) }
        try CommandOutput.result(lines: [output.id, output.privateKey, output.publicKey])
    }

    /// Returns the path of the repository that has a file, or `nil` if no folder above the file is a repository.
    private static func repository(of file: String) -> String? {
        var folder = URL(fileURLWithPath: file).deletingLastPathComponent().resolvingSymlinksInPath()
        while true {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/metadata")
            let isRepository = names?.contains { name in
                name.wholeMatch(of: /timestamp\.json|[0-9]+\.root\.json|root\.next\.json/) != nil
            }
            if isRepository == true { return folder.path }
            guard folder.path != "/" else { return nil }
            folder.deleteLastPathComponent()
        }
    }
}
