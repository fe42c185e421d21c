// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import TrustedUpdate

/// The form of metadata (TUF 1.0.34, section 4) and of the targets that it lists.
@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
    var repository: TestRepository
    let client: TestClient

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    /// Signs documents with one key of all roles, so that a document differs from a valid one only in its content.
    private mutating func shareKey() throws {
        let key = TestKey.ed25519()
        let old = repository.signers["root"] ?? []
        for role in TestRepository.topLevelRoles { repository.setKeys([key], of: role) }
        repository.signers["root"] = old + [key]
    }

    @Test("Unknown members are accepted, and they are signed") mutating func unknownMembers() async throws {
        var key = TestKey.ed25519()
        key.metadata["keyid_hash_algorithms"] = "md5"
        key.metadata["keyval"]["private"] = ""
        key.metadata["x"] = ["a": [1, ["b": true]]]
        repository.setKeys([key], of: "timestamp")
        repository.addTarget("app.zip", "good")
        repository["targets"]["targets"]["app.zip"]["x"] = "y"
        repository.delegate("role", ["x": ["y"]])
        repository["targets"]["delegations"]["x"] = -1
        repository["root"]["roles"]["timestamp"]["x"] = "y"
        repository["root"]["roles"]["mirrors"] = ["keyids": [], "threshold": 1]
        for role in TestRepository.topLevelRoles + ["role"] { repository[role]["x"] = ["é\u{7f}", -7, [:], []] }
        try repository.update("role", "targets", "snapshot", "timestamp", "root")
        #expect(try await client.target("app.zip") != nil)
        #expect(try await client.target("missing") == nil)

        let name = repository.url(of: "role")
        let text = String(decoding: try #require(repository.server.documents[name]), as: UTF8.self)
        repository.server.documents[name] = Data(text.replacingOccurrences(of: "-7", with: "-8").utf8)
        let other = try TestClient(repository)
        #expect(try await failure { try await other.target("missing") } == .unsigned)
    }

    @Test("Unknown members next to the signed content are accepted") mutating func unsignedMembers() async throws {
        let document = try #require(repository.server.documents["timestamp.json"])
        let text = String(decoding: document, as: UTF8.self)
        repository.server.documents["timestamp.json"] = Data((#"{"x":[null,1.5],"# + text.dropFirst()).utf8)
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("Metadata of one role is not accepted for another role", arguments: TestRepository.topLevelRoles)
    mutating func roleConfusion(role: String) async throws {
        try shareKey()
        try repository.update("root", "targets", "snapshot", "timestamp")
        let name = repository.url(of: role)
        for other in TestRepository.topLevelRoles where other != role {
            var content = repository[role]
            for (name, value) in repository[other].members { content[name] = value }
            repository.server.documents[name] = try repository.document(role, content: content)
            #expect(try await client.refreshFailure() == .badMetadata, "\(other)")
        }
        try repository.publish(role)
        #expect(try await client.refreshFailure() == nil)
    }

    /// A change after which a role is not valid, although it is signed.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let role: String
        let apply: @Sendable (inout JSONValue) -> Void

        init(_ role: String, _ description: String, _ apply: @escaping @Sendable (inout JSONValue) -> Void) {
            testDescription = "\(role): \(description)"
            self.role = role
            self.apply = apply
        }
    }

    static let common = TestRepository.topLevelRoles.flatMap { role in
        [
            Change(role, "no type") { $0["_type"] = .missing },
            Change(role, "no format") { $0["spec_version"] = .missing },
            Change(role, "format 2") { $0["spec_version"] = "2.0.0" },
            Change(role, "format 10") { $0["spec_version"] = "10.0.0" },
            Change(role, "no time") { $0["expires"] = .missing },
            Change(role, "time without zone") { $0["expires"] = "2030-01-01T00:00:00" },
            Change(role, "time as number") { $0["expires"] = 1_893_456_000 },
            Change(role, "year of five digits") { $0["expires"] = "10000-01-01T00:00:00Z" },
            Change(role, "last version") { $0["version"] = .number(.max) },
            Change(role, "no such day") { $0["expires"] = "2030-02-30T00:00:00Z" },
            Change(role, "no version") { $0["version"] = .missing },
            Change(role, "version as text") { $0["version"] = "2" },
        ]
    }
    static let particular = [
        Change("root", "version 0") { $0["version"] = 0 },
        Change("root", "no roles") { $0["roles"] = .missing },
        Change("root", "no role") { $0["roles"]["snapshot"] = .missing },
        Change("root", "threshold 0") { $0["roles"]["targets"]["threshold"] = 0 },
        Change("root", "negative threshold") { $0["roles"]["timestamp"]["threshold"] = -1 },
        Change("root", "no keys of a role") { $0["roles"]["timestamp"]["keyids"] = .missing },
        Change("root", "flag as text") { $0["consistent_snapshot"] = "true" },
        Change("timestamp", "version 0") { $0["version"] = 0 },
        Change("timestamp", "no meta") { $0["meta"] = .missing },
        Change("timestamp", "no snapshot") { $0["meta"]["snapshot.json"] = .missing },
        Change("timestamp", "snapshot 0") { $0["meta"]["snapshot.json"]["version"] = 0 },
        Change("timestamp", "negative length") { $0["meta"]["snapshot.json"]["length"] = -1 },
        Change("timestamp", "length as text") { $0["meta"]["snapshot.json"]["length"] = "1" },
        Change("timestamp", "digest as number") { $0["meta"]["snapshot.json"]["hashes"] = ["sha256": 1] },
        Change("timestamp", "short digest") { $0["meta"]["snapshot.json"]["hashes"] = ["sha256": "00"] },
        Change("snapshot", "no targets") { $0["meta"]["targets.json"] = .missing },
        Change("snapshot", "a role without version") { $0["meta"]["role.json"] = ["length": 1] },
        Change("targets", "no targets") { $0["targets"] = .missing },
        Change("targets", "no length") {
            $0["targets"]["x"] = ["hashes": ["sha256": .string(digest("sha256", of: Data()))]]
        },
        Change("targets", "no digests") { $0["targets"]["x"] = ["length": 0] },
        Change("targets", "negative length") {
            $0["targets"]["x"] = ["length": -1, "hashes": ["sha256": .string(digest("sha256", of: Data()))]]
        },
    ]

    @Test("Signed metadata of another form is refused", arguments: common + particular)
    mutating func badMetadata(change: Change) async throws {
        try repository.update("root", "targets", "snapshot", "timestamp")
        var content = repository[change.role]
        change.apply(&content)
        let name = repository.url(of: change.role)
        repository.server.documents[name] = try repository.document(change.role, content: content)
        #expect(try await client.refreshFailure() == .badMetadata)
        #expect(client.stored(change.role) != repository.server.documents[name])

        try repository.publish(change.role)
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("All versions 1.x of the specification are accepted", arguments: ["1.0", "1.0.0", "1.0.34", "1.9.99"])
    mutating func formats(version: String) async throws {
        for role in TestRepository.topLevelRoles { repository[role]["spec_version"] = .string(version) }
        try repository.update("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == nil)
    }

    // MARK: Targets

    @Test("The URL of a target has its digest only in consistent snapshots", arguments: [true, false])
    func locations(isConsistent: Bool) async throws {
        var repository = try TestRepository(consistentSnapshot: isConsistent)
        let paths = [
            "app.zip": ("", "app.zip"), "a/b/app.zip": ("a/b/", "app.zip"), "a%20b.zip": ("", "a%20b.zip"),
            "a b/ü?#.zip": ("a%20b/", "%C3%BC%3F%23.zip"),
        ]
        for path in paths.keys { repository.addTarget(path, "good") }
        try repository.update("targets", "snapshot", "timestamp")
        let targets = try await TestClient(repository).refresh()
        let prefix = isConsistent ? digest("sha256", of: Data("good".utf8)) + "." : ""
        for (path, (folder, name)) in paths {
            #expect(try await targets.target(path)?.location == folder + prefix + name)
        }
    }

    @Test("A target without SHA-256 has its SHA-512 in the URL") mutating func longDigest() async throws {
        repository.addTarget("a/app.zip", "good", digests: ["sha512"])
        try repository.update("targets", "snapshot", "timestamp")
        let location = try await client.target("a/app.zip")?.location
        #expect(location == "a/\(digest("sha512", of: Data("good".utf8))).app.zip")
    }

    @Test mutating func membersOfTarget() async throws {
        repository.addTarget("app.zip", "good", custom: ["channel": "beta", "size": 7, "list": [true]])
        repository.addTarget("plain.zip", "")
        try repository.update("targets", "snapshot", "timestamp")
        let targets = try await client.refresh()
        let target = try #require(try await targets.target("app.zip"))
        #expect(target.path == "app.zip")
        #expect(target.length == 4)
        let custom = try JSONSerialization.jsonObject(with: try #require(target.custom)) as? [String: Any]
        #expect(custom?["channel"] as? String == "beta")
        #expect(custom?["size"] as? Int == 7)
        #expect(custom?["list"] as? [Bool] == [true])
        let plain = try #require(try await targets.target("plain.zip"))
        #expect(plain.custom == nil)
        try plain.verify(Data())
    }

    @Test("Paths of targets are compared by their bytes") mutating func normalization() async throws {
        repository.addTarget("caf\u{e9}", "good")
        try repository.update("targets", "snapshot", "timestamp")
        let targets = try await client.refresh()
        #expect(try await targets.target("caf\u{e9}") != nil)
        for path in ["cafe\u{301}", "Caf\u{e9}", "/caf\u{e9}", ""] {
            #expect(try await targets.target(path) == nil, "\(path)")
        }
    }
}
