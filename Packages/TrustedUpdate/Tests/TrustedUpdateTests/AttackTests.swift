// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@testable import TrustedUpdate

/// The attacks that a TUF client withstands (TUF 1.0.34, section 1.5.2), and weaknesses of signatures.
@Suite(.timeLimit(.minutes(1)))
struct AttackTests {
    var repository: TestRepository
    let client: TestClient

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    // MARK: Arbitrary software

    @Test("A target is accepted only with its own bytes", arguments: [["sha256"], ["sha512"], ["sha256", "sha512"]])
    mutating func wrongBytes(digests: [String]) async throws {
        repository.addTarget("app.zip", "good", digests: digests)
        try repository.update("targets", "snapshot", "timestamp")
        let target = try #require(try await client.target("app.zip"))
        try target.verify(Data("good".utf8))
        for bytes in ["evil", "", "goo", "goodies"] {
            let code = try await failure { try target.verify(Data(bytes.utf8)) }
            #expect(code == .mismatch || code == .tooLarge, "\(bytes)")
        }
    }

    @Test("All listed digests of a target have to match", arguments: ["sha256", "sha512"])
    mutating func oneWrongDigest(algorithm: String) async throws {
        repository.addTarget("app.zip", "good", digests: ["sha256", "sha512"])
        let wrong = digest(algorithm, of: Data("evil".utf8))
        repository["targets"]["targets"]["app.zip"]["hashes"][algorithm] = .string(wrong)
        try repository.update("targets", "snapshot", "timestamp")
        let target = try #require(try await client.target("app.zip"))
        #expect(try await failure { try target.verify(Data("good".utf8)) } == .mismatch)
    }

    @Test mutating func targetWithoutKnownDigest() async throws {
        repository.addTarget("app.zip", "good", digests: [])
        repository["targets"]["targets"]["app.zip"]["hashes"]["md5"] = "755f85c2723bb39381c7379a604160d8"
        try repository.update("targets", "snapshot", "timestamp")
        let code = try await failure {
            let target = try #require(try await client.target("app.zip"))
            try target.verify(Data("good".utf8))
        }
        #expect(code != nil)
    }

    @Test("Metadata without a valid signature of its role is refused", arguments: TestRepository.topLevelRoles)
    mutating func unsigned(role: String) async throws {
        try await client.refresh()
        let before = try client.versions()
        repository.addTarget("app.zip", "evil")
        // The signer of another role has no authority for this one.
        repository.signers[role] = repository.signers[role == "snapshot" ? "targets" : "snapshot"]
        try repository.update("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .unsigned)

        // The roles before this one are updated, this one and the later ones are not.
        let position = try #require(TestRepository.topLevelRoles.firstIndex(of: role))
        let after = before.indices.map { $0 < position ? before[$0] + 1 : before[$0] }
        #expect(try client.versions() == after)
    }

    @Test("Signed content that was changed after the signature is refused", arguments: TestRepository.topLevelRoles)
    mutating func changedContent(role: String) async throws {
        try repository.update("root", "targets", "snapshot", "timestamp")
        let name = repository.url(of: role)
        let text = String(decoding: try #require(repository.server.documents[name]), as: UTF8.self)
        let changed = text.replacingOccurrences(of: "2030-01-01", with: "2040-01-01")
        #expect(changed != text)
        repository.server.documents[name] = Data(changed.utf8)
        #expect(try await client.refreshFailure() == .unsigned)
    }

    // MARK: Rollback

    @Test mutating func timestampRollback() async throws {
        let old = try #require(repository.server.documents["timestamp.json"])
        try repository.update("timestamp")
        try await client.refresh()
        repository.server.documents["timestamp.json"] = old
        _ = repository.server.takeNames()
        #expect(try await client.refreshFailure() == .rollback)
        #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"])
        #expect(try client.version("timestamp") == 2)
    }

    @Test("A new timestamp cannot announce an older snapshot", arguments: [[], ["sha256"]])
    mutating func snapshotRollback(digests: [String]) async throws {
        repository.announcedDigests = digests
        try repository.update("snapshot", "timestamp")
        try await client.refresh()
        repository["snapshot"]["version"] = 1
        try repository.publish("snapshot")
        try repository.update("timestamp")
        #expect(try await client.refreshFailure() == .rollback)
        #expect(try client.versions() == [1, 2, 2, 1])
    }

    @Test("A snapshot older than the stored one is refused without a stored timestamp, too")
    mutating func snapshotRollbackWithoutTimestamp() async throws {
        let old = repository.server.documents
        try repository.update("snapshot", "timestamp")
        try await client.refresh()
        try FileManager.default.removeItem(atPath: client.folder.path + "/timestamp.json")
        repository.server.documents = old
        #expect(try await client.refreshFailure() == .rollback)
    }

    @Test("A new snapshot cannot announce older metadata", arguments: [[], ["sha256"]], ["targets", "role"])
    mutating func targetsRollback(digests: [String], role: String) async throws {
        repository.announcedDigests = digests
        repository.delegate("role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        try await client.refresh()
        repository[role]["version"] = 1
        try repository.publish(role)
        try repository.update("snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .rollback)
        #expect(try client.versions() == [1, 3, 2, 2])
    }

    @Test mutating func roleMissingFromNewSnapshot() async throws {
        repository.delegate("role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        try await client.refresh()
        repository["snapshot"]["meta"]["role.json"] = .missing
        try repository.update("snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .rollback)
        #expect(try client.version("snapshot") == 2)
    }

    // MARK: Indefinite freeze

    @Test("Expired metadata is refused", arguments: TestRepository.topLevelRoles)
    mutating func expired(role: String) async throws {
        try await client.refresh()
        repository[role]["expires"] = "2025-01-01T00:00:00Z"
        try repository.update("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .expired)
        // An expired root is stored, other expired metadata is not.
        let stored = role == "root" ? 1 : TestRepository.topLevelRoles.firstIndex(of: role)
        #expect(try client.versions().count { $0 == 2 } == stored)
        // One second earlier it is valid.
        #expect(try await client.refreshFailure(now: TestRepository.now.addingTimeInterval(-1)) == nil)
        #expect(try client.versions() == [2, 2, 2, 2])
    }

    @Test func storedMetadataExpires() async throws {
        try await client.refresh()
        let later = TestRepository.now.addingTimeInterval(6 * 365 * 86_400)
        #expect(try await client.refreshFailure(now: later) == .expired)
    }

    @Test("One reference time holds for the refresh and for delegated roles, whatever the clock says")
    mutating func oneReferenceTime() async throws {
        repository.delegate("role")
        repository.addTarget("app.zip", "good", to: "role")
        for role in TestRepository.topLevelRoles + ["role"] { repository[role]["expires"] = "2025-01-01T00:00:01Z" }
        try repository.update("root", "role", "targets", "snapshot", "timestamp")
        #expect(try await client.target("app.zip") != nil)
    }

    @Test mutating func expiredDelegatedRole() async throws {
        repository.delegate("role")
        repository["role"]["expires"] = "2025-01-01T00:00:00Z"
        try repository.update("role", "targets", "snapshot", "timestamp")
        let targets = try await client.refresh()
        #expect(try await failure { try await targets.target("app.zip") } == .expired)
        #expect(client.stored("role") == nil)
    }

    // MARK: Endless data

    @Test("A document longer than its limit is refused", arguments: TestRepository.topLevelRoles)
    mutating func longerThanLimit(role: String) async throws {
        // The stored root is not longer than the limit.
        repository["root"]["comment"] = "a longer root"
        try repository.update("root", "targets", "snapshot", "timestamp")
        let name = repository.url(of: role)
        let length = try #require(repository.server.documents[name]).count
        var client = self.client
        for (limit, code) in [(length - 1, TrustError.Code?.some(.tooLarge)), (length, nil)] {
            switch role {
            case "root": client.limits.rootBytes = limit
            case "timestamp": client.limits.timestampBytes = limit
            case "snapshot": client.limits.snapshotBytes = limit
            default: client.limits.targetsBytes = limit
            }
            #expect(try await client.refreshFailure() == code)
            let requests = repository.server.takeRequests().filter { $0.name == name }
            #expect(requests.map(\.maxBytes) == [limit])
        }
    }

    @Test("A target longer than the limit is refused, whatever its role lists") mutating func targetAboveLimit()
        async throws
    {
        repository.addTarget("app.zip", "good")
        repository["targets"]["targets"]["app.zip"]["length"] = .number(.max)
        try repository.update("targets", "snapshot", "timestamp")
        #expect(try await failure { try await client.target("app.zip") } == .tooLarge)
    }

    @Test("A document longer than its announced length is refused", arguments: ["snapshot", "targets"])
    mutating func longerThanAnnounced(role: String) async throws {
        repository.announcedDigests = ["sha256"]
        try repository.update("targets", "snapshot", "timestamp")
        let name = repository.url(of: role)
        let document = try #require(repository.server.documents[name])
        repository.server.documents[name] = document + Data(" ".utf8)
        #expect(try await client.refreshFailure() == .tooLarge)
        let requests = repository.server.takeRequests().filter { $0.name == name }
        #expect(requests.map(\.maxBytes) == [document.count])
    }

    @Test("An announced length does not raise the limit", arguments: ["snapshot", "targets"])
    mutating func announcedLengthAboveLimit(role: String) async throws {
        try repository.update("targets", "snapshot")
        if role == "targets" {
            repository["snapshot"]["meta"]["targets.json"]["length"] = 1_000_000_000_000
            try repository.publish("snapshot")
        } else {
            repository["timestamp"]["meta"]["snapshot.json"]["length"] = 1_000_000_000_000
        }
        try repository.update("timestamp")
        #expect(try await client.refreshFailure() == .tooLarge)
        #expect(!repository.server.takeNames().contains(repository.url(of: role)))
    }

    // MARK: Extraneous dependencies and wrong software

    @Test mutating func targetOutsideOfDelegatedPaths() async throws {
        repository.delegate("role", ["paths": ["role/*"]])
        repository.addTarget("role/app.zip", "good", to: "role")
        repository.addTarget("app.zip", "evil", to: "role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        let targets = try await client.refresh()
        #expect(try await targets.target("app.zip") == nil)
        #expect(try await targets.target("role/app.zip")?.path == "role/app.zip")
        // The loaded metadata gets no more authority.
        #expect(try await targets.target("app.zip") == nil)
    }

    @Test mutating func moreTrustedRoleWins() async throws {
        repository.addTarget("app.zip", "good")
        repository.delegate("role")
        repository.addTarget("app.zip", "evil", to: "role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        let target = try #require(try await client.target("app.zip"))
        try target.verify(Data("good".utf8))
    }

    // MARK: Mix-and-match

    @Test(
        "A document of another version than announced is refused", arguments: ["snapshot", "targets", "role"],
        [true, false])
    func otherVersion(role: String, isOlder: Bool) async throws {
        var repository = try TestRepository(consistentSnapshot: false)
        let client = try TestClient(repository)
        repository.delegate("role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        repository[role]["version"] = isOlder ? 1 : 3
        repository.server.documents[repository.url(of: role)] = try repository.document(role)
        let code = try await failure {
            let targets = try await client.refresh()
            _ = try await targets.target("app.zip")
        }
        #expect(code == .mismatch)
        #expect(client.stored(role) == nil)
    }

    @Test(
        "A document with another digest than announced is refused", arguments: ["snapshot", "targets", "role"],
        ["sha256", "sha512"])
    mutating func otherDigest(role: String, algorithm: String) async throws {
        repository.announcedDigests = [algorithm]
        repository.delegate("role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        // Another document of the same version and length, signed by the same keys.
        repository[role]["expires"] = "2030-01-01T00:00:01Z"
        repository.server.documents[repository.url(of: role)] = try repository.document(role)
        let code = try await failure {
            let targets = try await client.refresh()
            _ = try await targets.target("app.zip")
        }
        #expect(code == .mismatch)
        #expect(client.stored(role) == nil)
    }

    // MARK: Malicious mirrors

    @Test("A mirror without keys cannot supply metadata", arguments: TestRepository.topLevelRoles)
    mutating func mirror(role: String) async throws {
        try await client.refresh()
        let before = try TestRepository.topLevelRoles.map { try #require(client.stored($0)) }
        // The mirror signs everything from one role on with keys of its own, which its root names.
        var mirror = try TestRepository()
        mirror.addTarget("app.zip", "evil")
        try mirror.update("root", "targets", "snapshot", "timestamp")
        let names = TestRepository.topLevelRoles.map { mirror.url(of: $0) }
        try repository.update("root", "targets", "snapshot", "timestamp")
        let position = try #require(TestRepository.topLevelRoles.firstIndex(of: role))
        for name in names[position...] { repository.server.documents[name] = mirror.server.documents[name] }
        #expect(try await client.refreshFailure() == .unsigned)
        for (index, role) in TestRepository.topLevelRoles.enumerated().dropFirst(position) {
            #expect(client.stored(role) == before[index], "\(role)")
        }
    }

    @Test(
        "A mirror without documents, or with other ones, makes the refresh fail",
        arguments: ["timestamp", "snapshot", "targets"], [nil, "", "<html>", "{}", "[]", #"{"signed":{}}"#])
    mutating func emptyMirror(role: String, document: String?) async throws {
        repository.server.documents[repository.url(of: role)] = document.map { Data($0.utf8) }
        #expect(try await client.refreshFailure() == (document == nil ? .notFound : .badMetadata))
        #expect(client.stored(role) == nil)
    }

    // MARK: Key compromise

    @Test("Fewer keys than the threshold cannot sign", arguments: TestRepository.topLevelRoles)
    mutating func keysBelowThreshold(role: String) async throws {
        let keys = [TestKey.ed25519(), .p256(), .ed25519()]
        let signers = repository.signers[role] ?? []
        repository.setKeys(keys, threshold: 2, of: role)
        if role == "root" { repository.signers[role] = signers + keys }
        try repository.update("root", "targets", "snapshot", "timestamp")
        try await client.refresh()
        // One known key and two unknown ones.
        repository.signers[role] = [keys[0], .ed25519(), .p256()]
        try repository.update("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .unsigned)
        repository.signers[role] = [keys[0], keys[2]]
        try repository.publish("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("After a rotation the old key is refused", arguments: ["timestamp", "snapshot", "targets"])
    mutating func oldKeyAfterRotation(role: String) async throws {
        try await client.refresh()
        let old = repository.signers[role]
        repository.setKeys([.ed25519()], of: role)
        repository.signers[role] = old
        try repository.update("root", "targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .unsigned)
        #expect(try client.version(role) != 2)
    }

    @Test(
        "Stored metadata is verified with the keys of the present root",
        arguments: ["timestamp", "snapshot", "targets"])
    mutating func storedMetadataOfOldKey(role: String) async throws {
        try await client.refresh()
        repository.setKeys([.ed25519()], of: role)
        // Only the root is new: the metadata of the role is the stored one, signed by the old key.
        try repository.update("root")
        #expect(try await client.refreshFailure() == .unsigned)
        // With the signature of the new key the same version is valid.
        try repository.publish(role)
        #expect(try await client.refreshFailure() == nil)
        #expect(try client.versions() == [2, 1, 1, 1])
    }

    @Test mutating func oldKeyOfDelegatedRole() async throws {
        repository.delegate("role")
        repository.addTarget("app.zip", "good", to: "role")
        try repository.update("role", "targets", "snapshot", "timestamp")
        #expect(try await client.target("app.zip") != nil)
        let old = repository.signers["role"]
        repository["targets"]["delegations"] = .missing
        repository.signers["role"] = [.ed25519()]
        repository.delegate("role")
        repository.signers["role"] = old
        try repository.update("role", "targets", "snapshot", "timestamp")
        #expect(try await failure { try await client.target("app.zip") } == .unsigned)
        #expect(try client.version("role") != 3)
    }

    // MARK: Fast-forward

    @Test("Versions can be lower again after the rotation of the key that signed too high ones")
    mutating func fastForward() async throws {
        repository["timestamp"]["version"] = 100
        try repository.publish("timestamp")
        try await client.refresh()
        repository["timestamp"]["version"] = 1
        try repository.publish("timestamp")
        #expect(try await client.refreshFailure() == .rollback)
        repository.setKeys([.ed25519()], of: "timestamp")
        try repository.publish("timestamp")
        try repository.update("root")
        try await client.refresh()
        #expect(try client.versions() == [2, 1, 1, 1])
    }

    @Test mutating func fastForwardOfSnapshot() async throws {
        repository["snapshot"]["version"] = 100
        try repository.publish("snapshot", "timestamp")
        try await client.refresh()
        repository.setKeys([.ed25519()], of: "snapshot")
        repository.setKeys([.ed25519()], of: "timestamp")
        repository["snapshot"]["version"] = 1
        try repository.publish("snapshot", "timestamp")
        try repository.update("root")
        try await client.refresh()
        #expect(try client.versions() == [2, 1, 1, 1])
    }

    @Test mutating func fastForwardOfTargets() async throws {
        repository.delegate("role")
        repository["targets"]["version"] = 100
        try repository.publish("role", "targets")
        try repository.update("snapshot", "timestamp")
        try await client.refresh()
        #expect(try client.versions() == [1, 2, 2, 100])
        repository.setKeys([.ed25519()], of: "snapshot")
        repository["targets"]["version"] = 1
        repository["targets"]["delegations"] = .missing
        try repository.publish("targets")
        repository["snapshot"]["meta"]["role.json"] = .missing
        try repository.update("root", "snapshot", "timestamp")
        try await client.refresh()
        #expect(try client.versions() == [2, 3, 3, 1])
    }
}
