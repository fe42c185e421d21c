// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import Foundation

/// A private key that signs metadata. Its file is PKCS #8 in PEM (RFC 5958, RFC 7468), without encryption.
package struct SigningKey: Sendable {
    /// The kind of a key.
    package enum Kind: String, Sendable, CaseIterable {
        case ed25519
        case p256, p384
    }

    private enum Secret: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    /// The maximum number of bytes of a file.
    static let maxBytes = 16_384
    /// The DER of an Ed25519 key before its 32 bytes (RFC 8410, section 7).
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    private static let header = "-----BEGIN PRIVATE KEY-----"
    private static let footer = "-----END PRIVATE KEY-----"

    /// The public key.
    package let publicKey: PublicKey
    private let secret: Secret

    private init(_ secret: Secret) {
        self.secret = secret
        // The PEM text of python-tuf ends in a line feed, which is part of the key identifier.
        publicKey =
            switch secret {
            case .ed25519(let key):
                PublicKey(
                    type: "ed25519", scheme: "ed25519", text: HexDigits.text(of: key.publicKey.rawRepresentation))
            case .p256(let key):
                PublicKey(
                    type: "ecdsa", scheme: "ecdsa-sha2-nistp256", text: Self.ended(key.publicKey.pemRepresentation))
            case .p384(let key):
                PublicKey(
                    type: "ecdsa", scheme: "ecdsa-sha2-nistp384", text: Self.ended(key.publicKey.pemRepresentation))
            }
    }

    /// Creates a new key.
    package init(generating kind: Kind) {
        switch kind {
        case .ed25519: self.init(.ed25519(Curve25519.Signing.PrivateKey()))
        case .p256: self.init(.p256(P256.Signing.PrivateKey()))
        case .p384: self.init(.p384(P384.Signing.PrivateKey()))
        }
    }

    /// Reads the text of a file.
    /// - Returns: `nil` if the text is no private key of a known kind.
    package init?(pem: String) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self.init(.p256(key))
        } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) {
            self.init(.p384(key))
        } else {
            let lines = pem.split(whereSeparator: \.isNewline)
            guard lines.count == 3, lines[0] == Self.header, lines[2] == Self.footer,
                let der = Data(base64Encoded: String(lines[1])), der.starts(with: Self.ed25519Prefix),
                der.count == Self.ed25519Prefix.count + 32,
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: der.suffix(32))
            else { return nil }
            self.init(.ed25519(key))
        }
    }

    /// The text of a file. It is secret.
    var pem: String {
        switch secret {
        case .ed25519(let key):
            let der = Data(Self.ed25519Prefix) + key.rawRepresentation
            return "\(Self.header)\n\(der.base64EncodedString())\n\(Self.footer)\n"
        case .p256(let key): return Self.ended(key.pemRepresentation)
        case .p384(let key): return Self.ended(key.pemRepresentation)
        }
    }

    /// Returns a PEM text that ends in a line feed.
    private static func ended(_ pem: String) -> String { pem.utf8.last == UInt8(ascii: "\n") ? pem : pem + "\n" }

    /// Returns the signature of a message in the form of TUF.
    func signature(of message: Data) throws(PublishingError) -> Data {
        do {
            switch secret {
            case .ed25519(let key): return try key.signature(for: message)
            case .p256(let key): return try key.signature(for: message).derRepresentation
            case .p384(let key): return try key.signature(for: SHA384.hash(data: message)).derRepresentation
            }
        } catch {
            throw PublishingError(.badKey, "the key cannot sign", at: publicKey.id)
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The identifier of the public key.
    package var description: String { publicKey.id }
    /// A mirror without children, so that no log has the private key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
