// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@testable import TrustedUpdate

/// The workflow of a refresh (TUF 1.0.34, section 5.3 to 5.6), its requests and its files.
@Suite(.timeLimit(.minutes(1)))
struct RefreshTests {
    private static let files = ["root.json", "snapshot.json", "targets.json", "timestamp.json"]

    var repository: TestRepository
    let client: TestClient

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    // MARK: Requests and files

    @Test("The first refresh requests all roles in order and stores the documents byte for byte")
    mutating func firstRefresh() async throws {
        repository.space = "\n\t "
        try repository.update("targets", "snapshot", "timestamp", "root")
        try await client.refresh()
        let names = ["2.root.json", "3.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json"]
        #expect(repository.server.takeNames() == names)
        #expect(try client.folder.names() == Self.files)
        for role in TestRepository.topLevelRoles {
            let document = try #require(repository.server.documents[repository.url(of: role)])
            #expect(client.stored(role) == document)
            #expect(document.starts(with: Data("{\n\t ".utf8)))
        }
    }

    @Test func refreshWithoutNewMetadataMakesTwoRequests() async throws {
        try await client.refresh()
        _ = repository.server.takeNames()
        // Each refresh of the client begins with nothing but the folder, as in a new process.
        for _ in 0..<2 {
            try await client.refresh()
            #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"])
        }
    }

    @Test("A later process requests only what is new") mutating func laterProcess() async throws {
        try repository.update("root")
        try await client.refresh()
        _ = repository.server.takeNames()
        try repository.update("snapshot", "timestamp")
        try await client.refresh()
        #expect(repository.server.takeNames() == ["3.root.json", "timestamp.json", "2.snapshot.json"])
        try repository.update("targets", "snapshot", "timestamp")
        try await client.refresh()
        let names = ["3.root.json", "timestamp.json", "3.snapshot.json", "2.targets.json"]
        #expect(repository.server.takeNames() == names)
        #expect(try client.versions() == [2, 3, 3, 2])
    }

    @Test("Without consistent snapshots only the root has a version in its name")
    func inconsistentSnapshots() async throws {
        var repository = try TestRepository(consistentSnapshot: false)
        repository.addTarget("a/app.zip", "good")
        try repository.update("targets", "snapshot", "timestamp")
        let client = try TestClient(repository)
        let target = try await client.target("a/app.zip")
        #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json", "snapshot.json", "targets.json"])
        #expect(target?.location == "a/app.zip")
        #expect(try client.versions() == [1, 2, 2, 2])
    }

    @Test("A URL without a slash at the end names the same folder") func urlWithoutSlash() async throws {
        let server = repository.server
        let client = TrustedRepository(
            folder: self.client.folder.path, metadataURL: String(TestServer.url.dropLast()),
            load: { try server.load($0, $1) })
        _ = try await client.refresh(now: TestRepository.now)
        #expect(server.takeNames().first == "2.root.json")
    }

    @Test("Timestamp and snapshot may announce digests", arguments: [["sha256"], ["sha512"], ["sha256", "sha512"]])
    mutating func announcedDigests(digests: [String]) async throws {
        repository.announcedDigests = digests
        try repository.update("targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == nil)
        #expect(try client.versions() == [1, 2, 2, 2])
        _ = repository.server.takeNames()
        try await client.refresh()
        #expect(repository.server.takeNames().count == 2)
    }

    @Test("Another timestamp of the same version is ignored") mutating func equalTimestampVersion() async throws {
        try await client.refresh()
        let stored = client.stored("timestamp")
        repository["timestamp"]["meta"]["snapshot.json"]["version"] = 100
        try repository.publish("timestamp")
        _ = repository.server.takeNames()
        try await client.refresh()
        #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"])
        #expect(client.stored("timestamp") == stored)
    }

    // MARK: Failures

    @Test("A failure keeps the metadata that was verified before", arguments: ["snapshot", "targets"])
    mutating func partialRefresh(role: String) async throws {
        try await client.refresh()
        try repository.update("targets", "snapshot", "timestamp")
        let name = repository.url(of: role)
        let document = repository.server.documents.removeValue(forKey: name)
        #expect(try await client.refreshFailure() == .notFound)
        #expect(try client.versions() == (role == "snapshot" ? [1, 2, 1, 1] : [1, 2, 2, 1]))
        _ = repository.server.takeNames()
        repository.server.documents[name] = document
        try await client.refresh()
        let names = ["2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json"]
        let requested = names.filter { role == "snapshot" || $0 != "2.snapshot.json" }
        #expect(repository.server.takeNames() == requested)
        #expect(try client.versions() == [1, 2, 2, 2])
    }

    @Test(
        "Damaged stored metadata is fetched again", arguments: ["timestamp", "snapshot", "targets"], ["", "{", "{}"])
    func damagedFile(role: String, content: String) async throws {
        try await client.refresh()
        let document = client.stored(role)
        try client.folder.write(role + ".json", content.utf8)
        #expect(try await client.refreshFailure() == nil)
        #expect(client.stored(role) == document)
    }

    @Test("Stored metadata that was changed is not trusted", arguments: ["timestamp", "snapshot", "targets"])
    func changedFile(role: String) async throws {
        try await client.refresh()
        let document = try #require(client.stored(role))
        let changed = String(decoding: document, as: UTF8.self)
            .replacingOccurrences(of: #""version":1}"#, with: #""version":9}"#)
        try client.folder.write(role + ".json", changed.utf8)
        #expect(client.stored(role) != document)
        #expect(try await client.refreshFailure() == nil)
        #expect(client.stored(role) == document)
    }

    @Test("Stored metadata that cannot be read ends the refresh", arguments: ["timestamp", "snapshot", "targets"])
    func unreadableFile(role: String) async throws {
        try await client.refresh()
        let path = "\(client.folder.path)/\(role).json"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let error = await #expect(throws: TrustError.self) { try await client.refresh() }
        // If the read were ignored, the replacement of the folder by a file would fail.
        #expect(error?.code == .io && error?.message.hasPrefix("rename") == false)
    }

    @Test("Trust that begins again from a root removes the stored timestamp and snapshot")
    func reset() async throws {
        try await client.refresh()
        try TrustedRepository.resetTrust(to: try #require(client.stored("root")), folder: client.folder.path)
        #expect(try client.versions() == [1, 0, 0, 1])
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("Without a valid stored root there is no trust and no request", arguments: [nil, "", "{", "{}"])
    func damagedRoot(content: String?) async throws {
        try content.map { _ = try client.folder.write("root.json", $0.utf8) }
            ?? FileManager.default.removeItem(atPath: client.folder.path + "/root.json")
        let code = try await client.refreshFailure()
        #expect(code == .io || code == .badMetadata)
        #expect(repository.server.takeNames() == [])
    }

    @Test func storedRootWithoutOwnSignature() async throws {
        let root = try #require(client.stored("root"))
        let text = String(decoding: root, as: UTF8.self).replacingOccurrences(of: "2030-01-01", with: "2040-01-01")
        try TrustedRepository.resetTrust(to: Data(text.utf8), folder: client.folder.path)
        #expect(try await client.refreshFailure() == .unsigned)
        #expect(repository.server.takeNames() == [])
    }

    @Test func missingFolder() async throws {
        let path = client.folder.path + "/missing"
        let folder = client.folder.path
        #expect(try await failure { try TrustedRepository.resetTrust(to: Data(), folder: path) } == .io)
        let server = repository.server
        let repository = TrustedRepository(
            folder: path, metadataURL: TestServer.url, load: { try server.load($0, $1) })
        #expect(try await failure { try await repository.refresh(now: TestRepository.now) } == .io)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["root.json"])
    }

    @Test("The errors of requests are passed on", arguments: ["2.root.json", "timestamp.json", "1.snapshot.json"])
    func requestError(name: String) async throws {
        struct Unreachable: Error {}
        repository.server.onRequest { if $0 == name { throw Unreachable() } }
        await #expect(throws: Unreachable.self) { try await client.refresh() }
        #expect(repository.server.takeNames().last == name)
    }

    @Test func cancelledRefreshMakesNoFurtherRequest() async throws {
        repository.server.onRequest { name in
            if name == "timestamp.json" { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let client = self.client
        let task = Task { _ = try await client.refresh() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(repository.server.takeNames() == ["2.root.json", "timestamp.json"])
    }

    // MARK: Root

    /// A new root with other keys, and the result of its verification.
    struct Rotation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The indexes of the keys, and the threshold, of the old and of the new root.
        let old: ([Int], threshold: Int)
        let new: ([Int], threshold: Int)
        let signers: [Int]
        let isAccepted: Bool
    }

    static let rotations = [
        Rotation(
            testDescription: "old and new key", old: ([0], 1), new: ([1], 1), signers: [0, 1], isAccepted: true),
        Rotation(testDescription: "only the new key", old: ([0], 1), new: ([1], 1), signers: [1], isAccepted: false),
        Rotation(testDescription: "only the old key", old: ([0], 1), new: ([1], 1), signers: [0], isAccepted: false),
        Rotation(
            testDescription: "one of two old keys", old: ([0, 1], 2), new: ([2], 1), signers: [0, 2],
            isAccepted: false),
        Rotation(
            testDescription: "two of three old keys", old: ([0, 1, 2], 2), new: ([3], 1), signers: [0, 2, 3],
            isAccepted: true),
        Rotation(
            testDescription: "a higher threshold that is met", old: ([0, 1], 1), new: ([0, 1], 2), signers: [0, 1],
            isAccepted: true),
        Rotation(
            testDescription: "a higher threshold that is not met", old: ([0, 1], 1), new: ([0, 1], 2), signers: [1],
            isAccepted: false),
        Rotation(
            testDescription: "a lower threshold, signed by too few for the old one", old: ([0, 1], 2),
            new: ([0, 1], 1), signers: [0], isAccepted: false),
        Rotation(
            testDescription: "one of three keys replaced", old: ([0, 1, 2], 2), new: ([0, 1, 3], 2),
            signers: [0, 1], isAccepted: true),
        Rotation(
            testDescription: "thresholds met by different keys", old: ([0, 1], 2), new: ([2, 3], 2),
            signers: [0, 1, 2, 3, 4], isAccepted: true),
    ]

    @Test("A new root is signed by the thresholds of the old and of the new root", arguments: rotations)
    mutating func rotation(rotation: Rotation) async throws {
        let keys = (0..<5).map { _ in TestKey.ed25519() }
        repository.setKeys(rotation.old.0.map { keys[$0] }, threshold: rotation.old.threshold, of: "root")
        try repository.publish("root")
        let client = try TestClient(repository)
        repository.setKeys(rotation.new.0.map { keys[$0] }, threshold: rotation.new.threshold, of: "root")
        repository.signers["root"] = rotation.signers.map { keys[$0] }
        try repository.update("root")
        #expect(try await client.refreshFailure() == (rotation.isAccepted ? nil : .unsigned))
        #expect(try client.version("root") == (rotation.isAccepted ? 2 : 1))
    }

    /// Publishes roots, each signed by a new key and by the key before.
    private mutating func rotateRoot(times: Int, expiry: JSONValue) throws {
        for _ in 0..<times {
            let old = repository.signers["root"]?.last
            let new = TestKey.ed25519()
            repository.setKeys([new], of: "root")
            repository.signers["root"] = [old, new].compactMap { $0 }
            repository["root"]["expires"] = expiry
            try repository.update("root")
        }
    }

    @Test("All roots between the stored and the newest one are verified, also expired ones")
    mutating func chainOfRoots() async throws {
        try rotateRoot(times: 4, expiry: "2020-01-01T00:00:00Z")
        #expect(try await client.refreshFailure() == .expired)
        #expect(try client.versions() == [5, 0, 0, 0])
        try rotateRoot(times: 1, expiry: "2030-01-01T00:00:00Z")
        _ = repository.server.takeNames()
        try await client.refresh()
        #expect(repository.server.takeNames().prefix(3) == ["6.root.json", "7.root.json", "timestamp.json"])
        // A client with the first root follows the whole chain.
        let other = try TestClient(repository)
        try await other.refresh()
        #expect(try other.versions() == [6, 1, 1, 1])
    }

    @Test("A root that breaks the chain is refused, and the roots before it are kept")
    mutating func brokenChain() async throws {
        try rotateRoot(times: 2, expiry: "2030-01-01T00:00:00Z")
        repository.setKeys([.ed25519()], of: "root")
        try repository.update("root")
        #expect(try await client.refreshFailure() == .unsigned)
        #expect(try client.versions() == [3, 0, 0, 0])
    }

    @Test("One refresh follows a limited number of new roots") mutating func rotationLimit() async throws {
        try rotateRoot(times: 5, expiry: "2030-01-01T00:00:00Z")
        var client = self.client
        client.limits.rootRotations = 3
        try await client.refresh()
        #expect(repository.server.takeNames().filter { $0.hasSuffix("root.json") }.count == 3)
        #expect(try client.version("root") == 4)
        try await client.refresh()
        #expect(try client.version("root") == 6)
    }

    @Test("A root of another version than its name is refused", arguments: [1, 3])
    mutating func rootOfOtherVersion(version: Int) async throws {
        repository["root"]["version"] = .number(version)
        repository.server.documents["2.root.json"] = try repository.document("root")
        let code = try await client.refreshFailure()
        #expect(code == .mismatch || code == .rollback)
        #expect(try client.versions() == [1, 0, 0, 0])
    }
}
