// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import StrictJSON

/// A public key of a role (TUF 1.0.34, section 4.2.1).
struct PublicKey: Sendable, Equatable {
    private enum Kind {
        case ed25519, ecdsaP256, ecdsaP384, rsaPSS
    }

    private let kind: Kind
    /// The hexadecimal digits of an Ed25519 key, or the PEM text of another key.
    private let text: String

    /// Reads a key.
    /// - Returns: `nil` if its kind or its scheme is unknown.
    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`.
    init?(_ scanner: inout JSONScanner) throws {
        var (type, scheme, text) = ("", "", String?.none)
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "keytype") {
                type = try scanner.readText("a key type")
            } else if scanner.equals(name, "scheme") {
                scheme = try scanner.readText("a signature scheme")
            } else if scanner.equals(name, "keyval"), scanner.nextToken() == UInt8(ascii: "{") {
                try scanner.readObject { scanner, name in
                    if scanner.equals(name, "public"), scanner.nextToken() == UInt8(ascii: "\"") {
                        text = try scanner.readText("a public key")
                    } else {
                        try scanner.skipValue()
                    }
                }
            } else {
                try scanner.skipValue()
            }
        }
        guard let text else { return nil }
        switch (type, scheme) {
        case ("ed25519", "ed25519"): kind = .ed25519
        case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
            kind = .ecdsaP256
        case ("ecdsa", "ecdsa-sha2-nistp384"), ("ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"): kind = .ecdsaP384
        case ("rsa", "rsassa-pss-sha256"): kind = .rsaPSS
        default: return nil
        }
        self.text = text
    }

    /// Verifies a signature.
    /// - Returns: the bytes that identify the key, or `nil` if the key or the signature is not valid. Two keys with
    ///   different texts can have the same bytes.
    func identity(ifSigned message: [UInt8], by signature: [UInt8]) -> Data? {
        switch kind {
        case .ed25519:
            guard let bytes = HexText.bytes(of: text),
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes),
                key.isValidSignature(signature, for: message)
            else { return nil }
            return key.rawRepresentation
        case .ecdsaP256:
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: text),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
                key.isValidSignature(signature, for: message)
            else { return nil }
            return key.x963Representation
        case .ecdsaP384:
            guard let key = try? P384.Signing.PublicKey(pemRepresentation: text),
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature),
                key.isValidSignature(signature, for: SHA384.hash(data: message))
            else { return nil }
            return key.x963Representation
        case .rsaPSS:
            // Keys of less than 2,048 bits are refused.
            guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: text),
                key.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                    padding: .PSS)
            else { return nil }
            return key.derRepresentation
        }
    }
}
