// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import Foundation
internal import PackageFormat
internal import TrustedPublishing

/// The metadata of a repository with 5,000 releases of 1,000 packages, which one Ed25519 key signs.
struct SignedMetadata: Sendable {
    static let packages = 1_000
    static let versions = 5
    /// The path of a target that the metadata lists.
    static let target = "package-\(packages - 1)/\(versions).json"
    /// The URL below which the metadata is.
    static let url = "https://metadata.example/"

    /// A document, and what a client checks of it.
    private struct Document: Sendable {
        let bytes: Data
        let digest: Data
        let signature: Data
        /// The signed bytes: the canonical form of the content.
        let message: Data
    }

    /// The root, from which the trust begins.
    let root: Data
    private let key: Curve25519.Signing.PublicKey
    /// The documents by their names in the repository.
    private let documents: [String: Document]

    init() throws {
        let signer = SigningKey(generating: .ed25519)
        var update = RepositoryUpdate(RepositoryState(), keys: [signer], now: Date(), lifetimes: Lifetimes())
        let role = try RoleKeys([signer.publicKey], threshold: 1, of: TopRole.root)
        try update.stageRoot(Dictionary(uniqueKeysWithValues: TopRole.all.map { ($0, role) }))
        for number in 0..<Self.packages {
            for version in 1...Self.versions {
                update.insert(try Self.release(number, version), in: TopRole.targets)
            }
        }
        try update.signRoot()
        var documents: [String: Document] = [:]
        for case .write(let path, let bytes) in try update.rootSteps().steps {
            let name = String(path.dropFirst("metadata/".count))
            documents[name] = try Self.document(bytes, of: name)
        }
        guard documents.count == TopRole.all.count, let root = documents["1.root.json"]?.bytes,
            let digits = signer.publicKey.value["keyval"]?["public"]?.text
        else { throw Failure() }
        self.root = root
        key = try Curve25519.Signing.PublicKey(rawRepresentation: Self.bytes(of: digits))
        self.documents = documents
    }

    /// The number of bytes of all documents.
    var size: Int { documents.values.reduce(0) { $0 + $1.bytes.count } }

    /// Returns the bytes of a document in memory of their own, as from a network.
    func load(_ url: String) -> Data? {
        documents[String(url.dropFirst(Self.url.count))]?.bytes.withUnsafeBytes { Data($0) }
    }

    /// Does what any client must do with the bytes: parses, hashes and checks the signatures.
    func check() throws {
        for document in documents.values {
            guard try JSONSerialization.jsonObject(with: document.bytes) is [String: Any],
                Data(SHA256.hash(data: document.bytes)) == document.digest,
                key.isValidSignature(document.signature, for: document.message)
            else { throw Failure() }
        }
    }

    private static func release(_ number: Int, _ version: Int) throws -> ReleaseRecord {
        ReleaseRecord(
            try PackageID("package-\(number)"), try PackageVersion("\(version)"), sequence: Int64(version),
            scope: try PackageBaseURL("https://package-\(number).example/app/"),
            channels: [ReleaseRecord.defaultChannel], share: ReleaseRecord.shares.upperBound, minHost: nil, start: nil,
            manifest: Data("manifest \(number) \(version)".utf8))
    }

    private static func document(_ bytes: Data, of name: String) throws -> Document {
        let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        let signatures = object?["signatures"] as? [[String: Any]]
        guard let signature = signatures?.first?["sig"] as? String else { throw Failure() }
        return Document(
            bytes: bytes, digest: Data(SHA256.hash(data: bytes)), signature: Self.bytes(of: signature),
            message: try MetadataDocument(decoding: bytes, of: name).signed.canonical)
    }

    /// Returns the bytes that pairs of hexadecimal digits stand for.
    private static func bytes(of digits: String) -> Data {
        let digits = Array(digits)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }
}
