// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import StrictJSON
internal import WebSyntax

/// The digests of a document. Digests of unknown algorithms are ignored.
struct ContentHashes: Sendable {
    private(set) var sha256: SHA256Digest?
    private var sha512: [UInt8]?

    /// Reads an object `{"sha256": "<hexadecimal digits>"}`.
    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`, also if no algorithm is known.
    init(_ scanner: inout JSONScanner) throws {
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "sha256") {
                sha256 = SHA256Digest(hex: try scanner.readText("a digest"))
                guard sha256 != nil else { throw TrustError(.badMetadata, "a digest that is no SHA-256") }
            } else if scanner.equals(name, "sha512") {
                sha512 = HexText.bytes(of: try scanner.readText("a digest"))
                guard sha512?.count == 64 else { throw TrustError(.badMetadata, "a digest that is no SHA-512") }
            } else {
                try scanner.skipValue()
            }
        }
        guard sha256 != nil || sha512 != nil else { throw TrustError(.badMetadata, "digests of no known algorithm") }
    }

    /// The digits of the digest that begins the names of targets in consistent snapshots.
    var prefix: String { sha256?.hex ?? HexText.digits(of: sha512 ?? []) }

    /// Returns a Boolean value that indicates whether all digests are those of the bytes.
    func match(_ bytes: Data) -> Bool {
        if let sha256, SHA256Digest(of: bytes) != sha256 { return false }
        if let sha512, LongDigest.sha512(of: bytes) != sha512 { return false }
        return true
    }
}

/// The announcement of a metadata document in a timestamp or a snapshot (TUF 1.0.34, section 4.4).
struct AnnouncedFile: Sendable {
    let version: Int64
    private let length: Int64?
    private let hashes: ContentHashes?

    init(_ scanner: inout JSONScanner) throws {
        var (version, length, hashes) = (Int64?.none, Int64?.none, ContentHashes?.none)
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "version") {
                version = try scanner.readNumber("a version", from: 1)
            } else if scanner.equals(name, "length") {
                length = try scanner.readNumber("a length", from: 0)
            } else if scanner.equals(name, "hashes") {
                hashes = try ContentHashes(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard let version else { throw TrustError(.badMetadata, "a file without a version") }
        (self.version, self.length, self.hashes) = (version, length, hashes)
    }

    /// The maximum number of bytes to read of the document.
    /// - Throws: ``TrustError`` with code `tooLarge` if the announced length exceeds the limit.
    func maxBytes(_ limit: Int, of name: String) throws(TrustError) -> Int {
        guard let length else { return limit }
        guard length <= limit else { throw TrustError(.tooLarge, "\(length) bytes, limit \(limit)", at: name) }
        return Int(length)
    }

    /// - Throws: ``TrustError`` with code `mismatch` if the document has another length or digest.
    func check(_ bytes: Data, of name: String) throws(TrustError) {
        guard length.map({ $0 == bytes.count }) ?? true, hashes?.match(bytes) ?? true else {
            throw TrustError(.mismatch, "another length or digest than announced", at: name)
        }
    }

    /// - Throws: ``TrustError`` with code `mismatch` if the metadata has another version.
    func check(_ version: Int64, of name: String) throws(TrustError) {
        guard version == self.version else {
            throw TrustError(.mismatch, "version \(version), announced is \(self.version)", at: name)
        }
    }
}
