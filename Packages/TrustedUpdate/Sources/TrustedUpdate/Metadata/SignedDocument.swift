// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON
internal import WebSyntax

/// A metadata document with its signatures, which are not verified yet (TUF 1.0.34, section 4.2).
struct SignedDocument {
    /// The maximum nesting depth of a document.
    static let maxDepth = 32

    /// The bytes as the server sent them.
    let bytes: Data
    /// The name of the role, for errors.
    let name: String
    /// The range of the member `signed`.
    private let signed: Range<Int>
    private let signatures: [(key: ByteText, bytes: [UInt8])]

    /// Reads a document.
    /// - Throws: ``TrustError`` with code `badMetadata`.
    init(_ bytes: Data, of name: String) throws(TrustError) {
        self.bytes = bytes
        self.name = name
        (signed, signatures) = try Self.mapping(name) {
            try bytes.withUnsafeBytes { bytes in
                guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
                    throw TrustError(.badMetadata, "begins with a byte order mark")
                }
                var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: Self.maxDepth))
                var signed: Range<Int>?
                var signatures: [(ByteText, [UInt8])]?
                // A set of names would use more memory than the document, which is not verified yet.
                try scanner.readObject(checksNames: false) { scanner, name in
                    if scanner.equals(name, "signed"), signed == nil {
                        guard scanner.nextToken() == UInt8(ascii: "{") else { throw scanner.failure("no object") }
                        signed = try scanner.skipValue(checksText: false)
                    } else if scanner.equals(name, "signatures"), signatures == nil {
                        signatures = try Self.readSignatures(&scanner)
                    } else if scanner.equals(name, "signed") || scanner.equals(name, "signatures") {
                        throw TrustError(.badMetadata, "a name that comes twice in one object")
                    } else {
                        try scanner.skipValue(checksText: false)
                    }
                }
                try scanner.finish()
                guard let signed, let signatures else {
                    throw TrustError(.badMetadata, "a document without signed content or without signatures")
                }
                return (signed, signatures)
            }
        }
    }

    private static func readSignatures(_ scanner: inout JSONScanner) throws -> [(ByteText, [UInt8])] {
        var signatures: [(ByteText, [UInt8])] = []
        var keys: Set<ByteText> = []
        try scanner.readArray { scanner in
            var (key, bytes) = (ByteText?.none, [UInt8]?.none)
            try scanner.readObject(checksNames: false) { scanner, name in
                if scanner.equals(name, "keyid"), key == nil {
                    key = try scanner.readKeyID()
                } else if scanner.equals(name, "sig"), bytes == nil {
                    bytes = try scanner.readSignature()
                } else if scanner.equals(name, "keyid") || scanner.equals(name, "sig") {
                    throw TrustError(.badMetadata, "a name that comes twice in one object")
                } else {
                    try scanner.skipValue(checksText: false)
                }
            }
            guard let key, let bytes else { throw TrustError(.badMetadata, "a signature without a key") }
            guard keys.insert(key).inserted else { throw TrustError(.badMetadata, "two signatures of one key") }
            signatures.append((key, bytes))
        }
        return signatures
    }

    /// Returns the signed bytes: the canonical form of the member `signed`. They are not stored, because they need as
    /// much memory as the document.
    /// - Throws: ``TrustError`` with code `badMetadata`.
    func message() throws(TrustError) -> [UInt8] {
        try Self.mapping(name) {
            try bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(
                    UnsafeRawBufferPointer(rebasing: bytes[signed]),
                    limits: JSONScanner.Limits(depth: Self.maxDepth))
                var message: [UInt8] = []
                message.reserveCapacity(signed.count)
                try CanonicalJSON.append(&scanner, to: &message)
                return message
            }
        }
    }

    /// Verifies that a threshold of different keys has signed the document. Other signatures are ignored.
    /// - Parameters:
    ///   - role: the keys that can sign, by their identifiers.
    ///   - keys: the keys of the delegating metadata.
    /// - Throws: ``TrustError`` with code `unsigned`.
    func verify(by role: RoleKeys, of keys: [ByteText: PublicKey]) throws(TrustError) {
        let message = try message()
        var signers: Set<Data> = []
        for signature in signatures where role.identifiers.contains(signature.key) {
            guard let key = keys[signature.key],
                let signer = key.identity(ifSigned: message, by: signature.bytes)
            else { continue }
            signers.insert(signer)
            if signers.count >= role.threshold { return }
        }
        throw TrustError(
            .unsigned, "signed by \(signers.count) keys of the role, and not by \(role.threshold)", at: name)
    }

    /// Decodes the signed content. Call it after the verification.
    /// - Throws: ``TrustError`` with code `badMetadata`.
    func decode<Content: MetadataContent>(_ type: Content.Type) throws(TrustError) -> Metadata<Content> {
        try Self.mapping(name) {
            try bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(
                    UnsafeRawBufferPointer(rebasing: bytes[signed]),
                    limits: JSONScanner.Limits(depth: Self.maxDepth))
                return try Metadata(&scanner)
            }
        }
    }

    /// Adds the name of the role to errors, and converts errors of JSON.
    private static func mapping<Value>(_ name: String, _ body: () throws -> Value) throws(TrustError) -> Value {
        do {
            return try body()
        } catch let error as TrustError {
            throw TrustError(error.code, error.message, at: error.location ?? name, cause: error.cause)
        } catch {
            throw TrustError(.badMetadata, "\(error)", at: name, cause: error)
        }
    }
}

/// The content of a role, besides the members that all roles have.
protocol MetadataContent: Sendable {
    /// The value of the member `_type`.
    static var type: String { get }
    /// Creates content without members.
    init()
    /// Reads the value of a member.
    /// - Returns: `false` if the member is unknown. Then nothing is read.
    mutating func read(_ name: JSONText, _ scanner: inout JSONScanner) throws -> Bool
    /// - Throws: ``TrustError`` with code `badMetadata` if a member is missing.
    func check() throws
}

/// The verified content of a metadata document.
struct Metadata<Content: MetadataContent>: Sendable {
    /// The version, from 1.
    let version: Int64
    private let expires: Date
    let content: Content

    fileprivate init(_ scanner: inout JSONScanner) throws {
        var (type, format) = (String?.none, String?.none)
        var (version, expires) = (Int64?.none, Date?.none)
        var content = Content()
        try scanner.readObject(checksNames: false) { scanner, name in
            if scanner.equals(name, "_type") {
                type = try scanner.readText("the type")
            } else if scanner.equals(name, "spec_version") {
                format = try scanner.readText("the version of the specification")
            } else if scanner.equals(name, "version") {
                version = try scanner.readNumber("the version", from: 1)
            } else if scanner.equals(name, "expires") {
                expires = try scanner.readTime("the time of expiry")
            } else if try !content.read(name, &scanner) {
                try scanner.skipValue(checksText: false)
            }
        }
        guard type == Content.type else { throw TrustError(.badMetadata, "not of type \(Content.type)") }
        guard let format, format.hasPrefix("1.") else {
            throw TrustError(.badMetadata, "of another version of the specification than 1")
        }
        // The next root must have a version, too.
        guard let version, version < .max, let expires else {
            throw TrustError(.badMetadata, "without version or time of expiry")
        }
        try content.check()
        self.version = version
        self.expires = expires
        self.content = content
    }

    /// - Parameter now: the reference time of the refresh.
    /// - Throws: ``TrustError`` with code `expired`.
    func checkExpiry(at now: Date, of name: String) throws(TrustError) {
        guard now < expires else {
            throw TrustError(.expired, "expired on \(expires.formatted(.iso8601))", at: name)
        }
    }
}
