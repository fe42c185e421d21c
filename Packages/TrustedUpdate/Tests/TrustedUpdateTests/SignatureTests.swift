// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import TrustedUpdate

/// The keys of roles, and thresholds of signatures (TUF 1.0.34, section 4.2.1 and 5.3.4).
@Suite(.timeLimit(.minutes(1)))
struct SignatureTests {
    /// A kind of key that the client can verify.
    enum KeyKind: CaseIterable {
        case ed25519, ecdsa, p256, ecdsaP384, p384, rsa

        func make() throws -> TestKey {
            switch self {
            case .ed25519: .ed25519()
            case .ecdsa: .p256()
            case .p256: .p256(type: "ecdsa-sha2-nistp256")
            case .ecdsaP384: .p384()
            case .p384: .p384(type: "ecdsa-sha2-nistp384")
            case .rsa: try TestKey.rsa.get()
            }
        }
    }

    var repository: TestRepository
    let client: TestClient

    init() throws {
        repository = try TestRepository()
        client = try TestClient(repository)
    }

    // MARK: Kinds of keys

    @Test("A signature of each kind of key is verified", arguments: KeyKind.allCases)
    mutating func keyKind(kind: KeyKind) async throws {
        let key = try kind.make()
        repository.setKeys([key], of: "timestamp")
        try repository.update("root", "timestamp")
        #expect(try await client.refreshFailure() == nil)

        repository["timestamp"]["version"] = 3
        let content = repository["timestamp"]
        let other = try key.sign(Data("other content".utf8)).hex
        let wrong = try key.sign(content.canonical)
        for signature in [other, wrong.dropLast().hex, (wrong + [0]).hex, [UInt8](repeating: 0, count: 64).hex, "zz"] {
            repository.server.documents["timestamp.json"] = repository.envelope(
                content, [["keyid": .string(key.id), "sig": .string(signature)]])
            #expect(try await client.refreshFailure() == .unsigned, "\(signature)")
        }
        try repository.publish("timestamp")
        #expect(try await client.refreshFailure() == nil)
        #expect(try client.version("timestamp") == 3)
    }

    @Test("The root can be signed by keys of all kinds") mutating func mixedThreshold() async throws {
        let keys = try KeyKind.allCases.map { try $0.make() }
        let old = repository.signers["root"] ?? []
        repository.setKeys(keys, threshold: keys.count, of: "root")
        repository.signers["root"] = old + keys
        try repository.update("root")
        repository.signers["root"] = keys
        try repository.update("root")
        try await client.refresh()
        #expect(try client.version("root") == 3)
        repository.signers["root"]?.removeLast()
        try repository.update("root")
        #expect(try await client.refreshFailure() == .unsigned)
    }

    @Test("RSA signatures have PSS padding and SHA-256") mutating func rsaPadding() async throws {
        let rsa = try TestKey.rsaPrivateKey.get()
        let key = try TestKey.rsa.get()
        repository.setKeys([key], of: "timestamp")
        try repository.update("root", "timestamp")
        let content = repository["timestamp"]
        let signatures = [
            try rsa.signature(for: SHA256.hash(data: content.canonical), padding: .insecurePKCS1v1_5),
            try rsa.signature(for: SHA512.hash(data: content.canonical), padding: .PSS),
        ]
        for signature in signatures {
            repository.server.documents["timestamp.json"] = repository.envelope(
                content, [["keyid": .string(key.id), "sig": .string(signature.rawRepresentation.hex)]])
            #expect(try await client.refreshFailure() == .unsigned)
        }
        try repository.publish("timestamp")
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("A key of an unknown kind or without a valid value cannot sign, but the other keys of the role can")
    mutating func unknownKeys() async throws {
        let known = TestKey.ed25519()
        let unknown = [
            TestKey.ed25519(scheme: "ed25519ph"), .ed25519(scheme: "ecdsa-sha2-nistp256"),
            .p256(type: "rsa"), .p256().withPublicText { _ in "no PEM" }, .ed25519().withPublicText { $0 + "00" },
        ]
        repository.setKeys(unknown + [known], of: "timestamp")
        try repository.update("root", "timestamp")
        #expect(try await client.refreshFailure() == nil)
        repository.signers["timestamp"] = unknown
        try repository.update("timestamp")
        #expect(try await client.refreshFailure() == .unsigned)
    }

    @Test("Signatures that are not valid do not harm if enough others are", arguments: ["", "00", "zz", "f"])
    mutating func invalidExtraSignature(text: String) async throws {
        let keys = [TestKey.ed25519(), .ed25519()]
        repository.setKeys(keys, of: "timestamp")
        try repository.update("root", "timestamp")
        let content = repository["timestamp"]
        repository.server.documents["timestamp.json"] = repository.envelope(
            content,
            [
                ["keyid": .string(keys[0].id), "sig": .string(text)], ["keyid": "unknown", "sig": .string(text)],
                ["keyid": .string(keys[1].id), "sig": .string(try keys[1].sign(content.canonical).hex)],
            ])
        #expect(try await client.refreshFailure() == nil)
    }

    // MARK: Keys that are counted once

    @Test("Two signatures with the same key identifier are refused", arguments: TestRepository.topLevelRoles)
    mutating func duplicateSignature(role: String) async throws {
        try repository.update("root", "targets", "snapshot", "timestamp")
        let content = repository[role]
        let key = try #require(repository.signers[role]?.first)
        let signature: JSONValue = ["keyid": .string(key.id), "sig": .string(try key.sign(content.canonical).hex)]
        let name = repository.url(of: role)
        repository.server.documents[name] = repository.envelope(content, [signature, signature])
        #expect(try await client.refreshFailure() == .badMetadata)
        repository.server.documents[name] = repository.envelope(content, [signature])
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("A key identifier that is listed twice is not counted twice") mutating func duplicateKeyID() async throws {
        let key = TestKey.ed25519()
        repository.setKeys([key, key], threshold: 2, of: "timestamp")
        repository.signers["timestamp"] = [key]
        try repository.update("root", "timestamp")
        let code = try await client.refreshFailure()
        #expect(code == .badMetadata || code == .unsigned)
        #expect(client.stored("timestamp") == nil)
    }

    /// The same key with another identifier, in forms that differ from the first one.
    enum SameKey: CaseIterable {
        case sameValue, upperCaseDigits, otherType, otherLines

        func make() throws -> [TestKey] {
            switch self {
            case .sameValue:
                let key = TestKey.ed25519()
                return [key, key.renamed("other")]
            case .upperCaseDigits:
                let key = TestKey.ed25519()
                return [key, key.withPublicText { $0.uppercased() }]
            case .otherType:
                let key = TestKey.p256()
                var other = key
                other.metadata["keytype"] = "ecdsa-sha2-nistp256"
                other.id = digest("sha256", of: other.metadata.canonical)
                return [key, other]
            case .otherLines:
                let key = try TestKey.rsa.get()
                return [key, key.withPublicText { $0 + "\n" }]
            }
        }
    }

    @Test("The same key under two identifiers is not counted twice", arguments: SameKey.allCases)
    mutating func sameKeyTwice(form: SameKey) async throws {
        let keys = try form.make()
        #expect(keys[0].id != keys[1].id)
        repository.setKeys(keys, threshold: 2, of: "timestamp")
        try repository.update("root", "timestamp")
        let code = try await client.refreshFailure()
        #expect(code == .badMetadata || code == .unsigned)
        #expect(client.stored("timestamp") == nil)

        // Another key makes the threshold.
        repository.setKeys([keys[0], .ed25519()], threshold: 2, of: "timestamp")
        let next = repository["root"]["version"].integer + (code == .unsigned ? 1 : 0)
        repository["root"]["keys"][keys[1].id] = .missing
        repository["root"]["version"].integer = next
        try repository.publish("root")
        try repository.update("timestamp")
        #expect(try await client.refreshFailure() == nil)
    }

    @Test("A key has authority only for the roles that list it", arguments: ["timestamp", "snapshot", "targets"])
    mutating func keyOfRoot(role: String) async throws {
        repository.signers[role] = repository.signers["root"]
        try repository.update("targets", "snapshot", "timestamp")
        #expect(try await client.refreshFailure() == .unsigned)
    }

    @Test("A threshold above the number of keys cannot be met") mutating func thresholdAboveKeys() async throws {
        repository.setKeys([.ed25519(), .ed25519()], threshold: 3, of: "snapshot")
        try repository.update("root", "snapshot", "timestamp")
        let code = try await client.refreshFailure()
        #expect(code == .badMetadata || code == .unsigned)
        #expect(client.stored("snapshot") == nil)
    }
}
