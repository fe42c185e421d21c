// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Crypto
internal import Foundation
internal import WebSyntax

/// A public key in the form of TUF metadata (TUF 1.0.34, section 4.2.1).
///
/// Signatures of keys of other types than Ed25519, P-256 and P-384 are not verified and do not count.
package struct PublicKey: Sendable, Hashable {
    /// The name of the key in metadata. The name of a new key is the SHA-256 digest of the canonical form of its
    /// object, as python-tuf computes it.
    package let id: String
    /// The object with `keytype`, `scheme` and `keyval`.
    package let value: JSONValue

    /// Creates a key.
    /// - Parameter id: the name in existing metadata, or `nil` for the digest of the key. Without a name the key is a
    ///   new one, whose kind must be known and whose value must be valid.
    /// - Throws: ``PublishingError`` with code `badKey`.
    package init(_ value: JSONValue, id: String? = nil, at location: String? = nil) throws(PublishingError) {
        guard value["keytype"]?.text != nil, value["scheme"]?.text != nil, value["keyval"]?["public"]?.text != nil
        else {
            throw PublishingError(.badKey, "no public key with keytype, scheme and keyval", at: location)
        }
        self.value = value
        self.id = id ?? SHA256Digest(of: value.canonical).hex
        guard id != nil || verifier != nil else {
            throw PublishingError(.badKey, "no valid public key of the kinds Ed25519, P-256 and P-384", at: location)
        }
    }

    /// Creates a key whose values are valid.
    init(type: String, scheme: String, text: String) {
        value = .members([
            "keytype": .string(type), "scheme": .string(scheme), "keyval": .members(["public": .string(text)]),
        ])
        id = SHA256Digest(of: value.canonical).hex
    }

    /// The signature scheme, such as `ed25519`.
    package var scheme: String { value["scheme"]?.text ?? "" }

    private enum Verifier {
        case ed25519(Curve25519.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
    }

    /// The key that verifies signatures, or `nil` if its kind is not known or its value is not valid.
    private var verifier: Verifier? {
        let text = value["keyval"]?["public"]?.text ?? ""
        switch (value["keytype"]?.text, scheme) {
        case ("ed25519", "ed25519"):
            let bytes = HexDigits.bytes(of: text)
            return bytes.flatMap { try? .ed25519(Curve25519.Signing.PublicKey(rawRepresentation: $0)) }
        case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
            return try? .p256(P256.Signing.PublicKey(pemRepresentation: text))
        case ("ecdsa", "ecdsa-sha2-nistp384"), ("ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"):
            return try? .p384(P384.Signing.PublicKey(pemRepresentation: text))
        default: return nil
        }
    }

    /// Returns a Boolean value that indicates whether a signature of a message is valid.
    func isValid(_ signature: [UInt8], of message: Data) -> Bool {
        switch verifier {
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: message))
        case nil: return false
        }
    }
}

/// Hexadecimal digits as bytes.
enum HexDigits {
    /// Returns the bytes that pairs of digits stand for, or `nil` if the text has other characters or an odd length.
    static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the lowercase digits of bytes.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}
