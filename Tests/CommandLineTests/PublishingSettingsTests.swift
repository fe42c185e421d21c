// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The file `h5.json`, the variables `H5_…` and the checks of arguments of the publishing commands.
@Suite("Settings and keys of h5 publish", .timeLimit(.minutes(2)))
struct PublishingSettingsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
    }

    private func run(_ arguments: [String], environment: [String: String?] = [:]) async throws -> Program.Outcome {
        try await Program("h5").run(arguments, in: folder.path, environment: environment)
    }

    private func h5(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let outcome = try await run(arguments)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    /// Creates a repository without releases.
    private func createRepository() async throws {
        for name in ["root", "targets", "online"] { try await h5("keys", "create", name) }
        try await h5(
            "keys", "init", "repository", "--root", "root", "--targets", "targets", "--online", "online")
    }

    /// Expects that a command fails with one error line, which has the texts.
    private func fails(
        _ status: Int32, _ code: String, _ texts: [String], _ arguments: [String],
        environment: [String: String?] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await run(arguments, environment: environment)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.output.isEmpty && outcome.errorLines.count == 1, sourceLocation: sourceLocation)
        let line = outcome.errorLines.first ?? ""
        #expect(line.hasPrefix("error: \(code): "), "\(outcome.errors)", sourceLocation: sourceLocation)
        for text in texts { #expect(line.contains(text), "\(outcome.errors)", sourceLocation: sourceLocation) }
    }

    // MARK: Settings

    @Test("Unknown names and wrong types in h5.json are refused, with the member at fault")
    func file() async throws {
        try await createRepository()
        let status = ["status", "repository"]
        for (text, texts) in [
            (#"{"trustedroot": "a", "key": ["b"], "id": "shop"}"#, [": key, trustedroot (h5.json)"]),
            (#"{"expiry": {"targts": 1}}"#, [": expiry.targts (h5.json)"]),
            (#"{"trustedRoot": {"path": "a"}}"#, ["(trustedRoot)"]),
            (#"{"expiry": 3}"#, ["(expiry)"]),
            (#"{"expiry": {"root": "3"}}"#, ["(expiry.root)"]),
            (#"{"expiry": {"root": 3651}}"#, ["(expiry.root)"]),
            (#"{"keys": "targets"}"#, ["(keys)"]),
            (#"{"keys": ["targets", 1]}"#, ["(keys)"]),
            (#"{"id": ["shop"]}"#, ["(id)"]),
            (#"{"id": "a/b"}"#, ["(id)"]),
            (#"{"baseURL": "ftp://a.example/"}"#, ["(baseURL)"]),
            (#"{"channel": "two words"}"#, ["a channel is ", "(channel)"]),
            (#"{"id": "shop", "id": "blog"}"#, ["twice", "(h5.json)"]),
            ("[]", ["(h5.json)"]),
            (#"{"id": "shop""#, ["byte ", "(h5.json)"]),
            ("", ["(h5.json)"]),
        ] {
            try folder.write("h5.json", text.utf8)
            try await fails(65, "bad-settings", texts, status)
        }
        let all = #"""
            {"repository": "repository", "id": "shop", "baseURL": "https://shop.example", "trustedRoot": null,
             "keys": [], "channel": "beta", "expiry": {"root": 1, "targets": 1, "snapshot": 1, "timestamp": 1}}
            """#
        try folder.write("h5.json", all.utf8)
        try await h5("status")
    }

    @Test("A variable at fault is named, and empty variables have no effect")
    func environment() async throws {
        try await createRepository()
        try folder.write("h5.json", #"{"repository": "repository", "channel": "beta"}"#.utf8)
        for (name, value) in [
            ("H5_ID", "a/b"), ("H5_BASE_URL", "shop"), ("H5_CHANNEL", "two words"), ("H5_EXPIRY_TIMESTAMP", "soon"),
            ("H5_EXPIRY_ROOT", "0"),
        ] {
            try await fails(65, "bad-settings", ["(\(name))"], ["status"], environment: [name: value])
        }
        let outcome = try await run(
            [
                "publish", "site", "--version", "1", "--id", "shop", "--base-url", "https://shop.example/", "--key",
                "targets", "online", "--json",
            ],
            environment: [
                "H5_REPOSITORY": "", "H5_ID": "", "H5_CHANNEL": "", "H5_EXPIRY_ROOT": "", "H5_TRUSTED_ROOT": "",
                "H5_KEYS": "",
            ])
        #expect(outcome.status == 0 && outcome.output.contains(#""channels":["beta"]"#), "\(outcome.errors)")
    }

    @Test("A trusted root that is not valid is named")
    func trustedRoot() async throws {
        try await createRepository()
        let renew = ["keys", "renew", "repository", "--key", "online", "--trusted-root", "trusted.json"]
        try folder.write("trusted.json", "{}".utf8)
        try await fails(65, "bad-metadata", ["(trusted.json)"], renew)
        let root = try folder.text(of: "repository/metadata/1.root.json")
        try folder.write("trusted.json", root.replacing(#""version": 1"#, with: #""version": 2"#).utf8)
        try await fails(77, "unsigned", ["(trusted.json)"], renew)
        try folder.write("trusted.json", try folder.text(of: "repository/metadata/timestamp.json").utf8)
        try await fails(65, "bad-metadata", ["(trusted.json)"], renew)
        try folder.write("trusted.json", root.utf8)
        #expect(try await run(renew).status == 0)
    }

    // MARK: Keys

    @Test("A private key is not created inside a repository")
    func keyInRepository() async throws {
        try await createRepository()
        let before = try folder.names(below: "repository")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/repository/metadata")
        for path in ["repository/metadata/oops", "repository/targets/oops", "repository/oops", "link/oops"] {
            try await fails(65, "bad-value", ["(\(path))"], ["keys", "create", path])
        }
        // A root that waits for signatures.
        try await h5(
            "keys", "init", "other", "--root", "root.pub", "--targets", "targets", "--online", "online")
        try await fails(65, "bad-value", ["(other/metadata/oops)"], ["keys", "create", "other/metadata/oops"])
        #expect(try folder.names(below: "repository") == before)
        #expect(try folder.names(below: "other").allSatisfy { !$0.contains("oops") })
        // A folder with the name alone is no repository.
        try folder.write("plain/metadata/note.txt", "a".utf8)
        try await h5("keys", "create", "plain/metadata/key")
    }

    @Test("keys init warns of a private key that others can read, and leaves nothing after a wrong threshold")
    func initialization() async throws {
        for name in ["root", "targets", "online"] { try await h5("keys", "create", name) }
        let arguments = ["keys", "init", "repository", "--root", "root", "--targets", "targets", "--online", "online"]
        try await fails(65, "bad-value", ["a threshold of 2 with 1 keys"], arguments + ["--threshold", "2"])
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/repository"))
        for name in ["root", "online"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(folder.path)/\(name)")
        }
        let outcome = try await run(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.split(separator: "\n") == [
                "warning: other users can read the private key (root)",
                "warning: other users can read the private key (online)",
            ])
    }

    @Test("Keys of unsupported kinds and invalid public keys are refused before anything changes")
    func badKeys() async throws {
        try await createRepository()
        let before = try folder.names(below: "repository")
        func delegate(_ text: String) -> [String] {
            ["keys", "delegate", "repository", "--package", "blog", "--public", text, "--key", "targets", "online"]
        }
        for header in ["ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY"] {
            try folder.write("other", "-----BEGIN \(header)-----\nAAAA\n-----END \(header)-----\n".utf8)
            try await fails(65, "bad-key", ["encrypted", "RSA", "(other)"], delegate("other"))
        }
        for text in [
            #"{"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "zz"}}"#,
            #"{"keytype": "rsa", "scheme": "rsassa-pss-sha256", "keyval": {"public": "a"}}"#,
            #"{"keytype": "ecdsa", "scheme": "ecdsa-sha2-nistp256", "keyval": {"public": "a"}}"#,
        ] {
            try folder.write("other.pub", text.utf8)
            try await fails(65, "bad-key", ["(other.pub)"], delegate("other.pub"))
        }
        #expect(try folder.names(below: "repository") == before)
    }

    @Test("Missing keys are noticed before the site is packed")
    func missingKeys() async throws {
        try await createRepository()
        let arguments = [
            "publish", "none", "--repository", "repository", "--id", "shop", "--version", "1", "--base-url",
            "https://shop.example/", "--key",
        ]
        // The folder of the site is missing, which a package would report.
        try await fails(77, "unsigned", ["--key has 0 of the 1 keys", "(targets)"], arguments + ["online"])
        try await fails(77, "unsigned", ["--key has 0 of the 1 keys", "(snapshot)"], arguments + ["targets"])
        try await fails(66, "no-input", [], arguments + ["targets", "online"])
        // Keys of the settings are named by their source.
        try folder.write("h5.json", #"{"repository": "repository", "keys": ["online"]}"#.utf8)
        try await fails(77, "unsigned", ["h5.json has 0 of the 1 keys", "(targets)"], Array(arguments.dropLast()))
        try await fails(
            77, "unsigned", ["H5_KEYS has 0 of the 1 keys", "(snapshot)"], Array(arguments.dropLast()),
            environment: ["H5_KEYS": "targets"])
        try await fails(77, "unsigned", ["--key has 0 of the 1 keys", "(snapshot)"], arguments + ["targets"])
    }

    @Test("Commands for keys use the repository of h5.json, and keys init has no options of later commands")
    func repository() async throws {
        try await createRepository()
        let sign = ["keys", "sign", "--key", "root"]
        try await fails(64, "usage", ["h5.json", "(repository)"], sign)
        try folder.write("h5.json", #"{"repository": "repository"}"#.utf8)
        try await fails(66, "not-found", ["no root waits"], sign)
        try await h5("keys", "rotate", "--role", "root", "--key", "root")
        try await h5(
            "keys", "delegate", "--package", "blog", "--public", "root.pub", "--key", "targets", "online")
        let help = try await run(["keys", "init", "--help"])
        #expect(help.status == 0 && help.output.contains("--expiry"), "\(help.errors)")
        #expect(!help.output.contains("--trusted-root") && !help.output.contains("--key "), "\(help.output)")
    }

    // MARK: Status

    @Test("Roles that have expired are distinct from those that expire soon")
    func expired() async throws {
        try await createRepository()
        let now = Date().addingTimeInterval(8 * 86_400).ISO8601Format()
        let text = try await run(["status", "repository", "--now", now])
        #expect(text.errors.hasPrefix("warning: timestamp expired on 2"), "\(text.errors)")
        #expect(text.output.contains("\ntimestamp 1, expired on 2") && text.output.hasPrefix("root 1, expires on 2"))
        let json = try await run(["status", "repository", "--now", now, "--json"])
        let roles = try JSONDecoder().decode(Roles.self, from: Data(json.output.utf8)).roles
        #expect(roles.filter(\.expired).map(\.role) == ["timestamp"])
    }

    private struct Roles: Decodable {
        struct Role: Decodable {
            var role: String
            var expired: Bool
        }

        var roles: [Role]
    }
}
