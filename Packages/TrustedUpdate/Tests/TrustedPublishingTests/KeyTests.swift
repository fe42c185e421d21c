// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@testable import TrustedPublishing

/// Keys and their files.
struct KeyTests {
    /// A private key that python-cryptography has written, and the identifier of its public key by python-tuf 7.0.
    struct Sample: Sendable, CustomTestStringConvertible {
        let scheme: String
        let id: String
        let pem: String

        var testDescription: String { scheme }
    }

    static let samples = [
        Sample(
            scheme: "ed25519", id: "63d00ee3cf4f5c61ad94efa696c68f13b608fe56ecea13fb144a6fd18e9235b9",
            pem: """
                -----BEGIN PRIVATE KEY-----
                MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
                -----END PRIVATE KEY-----

                """),
        Sample(
            scheme: "ecdsa-sha2-nistp256", id: "673eba86c2f651036e40f6a801495a4d6704a1a6762edc295489d99d62bb764a",
            pem: """
                -----BEGIN PRIVATE KEY-----
                MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAQIDBAUGBwgJCgsM
                DQ4PEBESExQVFhcYGRobHB0eHyChRANCAARRXD1uueOWuQTT/sp/VP3NDMHpl783
                XcpRWtCmw7QDX0U2vjpQ8xj7+aVHWQKiIVAr7w1X4IxTsswKVvF9n5NU
                -----END PRIVATE KEY-----

                """),
        Sample(
            scheme: "ecdsa-sha2-nistp384", id: "9c696a62fff4fd1068fa56060cfd739d8c79fe6a9edb2bc6e6235572325825b7",
            pem: """
                -----BEGIN PRIVATE KEY-----
                MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAAAAAAAAAAAAAAAAAA
                AAAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyChZANiAAQpbD0dJNzL
                WQzAiN0M6sDqMA5/nzdM/uPgpKX2ORRjnUQ8/QgHyTz2jIo5Gp/Gx8KbfM52pgGu
                Zpo0yNgag7C2sGgY25qqRX3OH1sgGpMZ5jNz5QxGprL5itojk0QUg1c=
                -----END PRIVATE KEY-----

                """),
    ]

    @Test("Identifiers are those of python-tuf, and files are those of OpenSSL", arguments: samples)
    func identifiers(sample: Sample) throws {
        let key = try #require(SigningKey(pem: sample.pem))
        #expect(key.publicKey.id == sample.id)
        #expect(key.publicKey.scheme == sample.scheme)
        #expect(key.pem == sample.pem)
    }

    @Test("Signatures are verified by the public key, and not for other messages", arguments: SigningKey.Kind.allCases)
    func signatures(kind: SigningKey.Kind) throws {
        let (key, other) = (SigningKey(generating: kind), SigningKey(generating: kind))
        let message = Data("message".utf8)
        let signature = [UInt8](try key.signature(of: message))
        #expect(key.publicKey.isValid(signature, of: message))
        #expect(!key.publicKey.isValid(signature, of: Data("other".utf8)))
        #expect(!other.publicKey.isValid(signature, of: message))
        #expect(!key.publicKey.isValid([], of: message))
    }

    @Test("A key file has mode 0600, and existing files are not replaced", arguments: SigningKey.Kind.allCases)
    func files(kind: SigningKey.Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/key"
        let key = SigningKey(generating: kind)
        try KeyFile.create(key, at: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try KeyFile.read(path).signingKey?.publicKey == key.publicKey)
        let read = try KeyFile.read(path + ".pub")
        #expect(read.signingKey == nil && read.publicKey == key.publicKey)
        #expect(try !folder.text(of: "key.pub").contains("PRIVATE"))

        let text = try folder.text(of: "key")
        for taken in ["key", "other.pub"] {
            try folder.write("other.pub", "mine".utf8)
            let error = #expect(throws: PublishingError.self) {
                try KeyFile.create(key, at: "\(folder.path)/\(taken.replacingOccurrences(of: ".pub", with: ""))")
            }
            #expect(error?.code == .exists)
        }
        #expect(try folder.text(of: "key") == text)
        #expect(try folder.files() == ["key", "key.pub", "other.pub"])
    }

    @Test("Files that are no keys are refused")
    func refused() throws {
        let folder = try TemporaryFolder()
        func code(_ text: String) throws -> PublishingError.Code? {
            let path = try folder.write("key", text.utf8)
            return #expect(throws: PublishingError.self) { try KeyFile.read(path) }?.code
        }
        #expect(try code("") == .badKey)
        #expect(try code("{}") == .badKey)
        #expect(try code(#"{"keytype":"ed25519","keyval":{},"scheme":"ed25519"}"#) == .badKey)
        for (type, scheme) in [
            ("ed25519", "ed25519"), ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa", "ecdsa-sha2-nistp384"),
            ("rsa", "rsassa-pss-sha256"),
        ] {
            let key = #"{"keytype":"\#(type)","keyval":{"public":"zz"},"scheme":"\#(scheme)"}"#
            #expect(try code(key) == .badKey, "\(type)")
            // A key of existing metadata cannot verify signatures, and stays.
            let value = try JSONValue(decoding: Data(key.utf8), at: "key")
            #expect(try PublicKey(value, id: "1").scheme == scheme)
        }
        #expect(try code(Self.samples[0].pem.replacingOccurrences(of: "MC4C", with: "MC5C")) == .badKey)
        let missing = #expect(throws: PublishingError.self) { try KeyFile.read(folder.path + "/none") }
        #expect(missing?.code == .noInput)
    }

    @Test("Descriptions of a key have no private part", arguments: samples)
    func descriptions(sample: Sample) throws {
        let key = try #require(SigningKey(pem: sample.pem))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == sample.id && String(reflecting: key) == sample.id)
        #expect(Mirror(reflecting: key).children.isEmpty && dumped.count < 200, "\(dumped)")
    }
}
