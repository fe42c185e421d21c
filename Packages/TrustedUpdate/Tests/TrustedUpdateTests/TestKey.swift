// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Crypto
import CryptoExtras
import Foundation

/// A key pair with its metadata (TUF 1.0.34, section 4.2).
struct TestKey: Sendable {
    /// The key identifier: the SHA-256 digest of the canonical form of the public key, unless a test changes it.
    var id: String
    /// The public key in the form of the metadata.
    var metadata: JSONValue
    /// Returns the signature of a message.
    let sign: @Sendable (Data) throws -> Data

    init(type: String, scheme: String, text: String, sign: @escaping @Sendable (Data) throws -> Data) {
        metadata = [
            "keytype": .string(type), "scheme": .string(scheme), "keyval": ["public": .string(text)],
        ]
        id = SHA256.hash(data: metadata.canonical).hex
        self.sign = sign
    }

    /// Creates an Ed25519 key.
    static func ed25519(scheme: String = "ed25519") -> TestKey {
        let key = Curve25519.Signing.PrivateKey()
        return TestKey(type: "ed25519", scheme: scheme, text: key.publicKey.rawRepresentation.hex) {
            try key.signature(for: $0)
        }
    }

    /// Creates an ECDSA key on the curve P-256.
    static func p256(type: String = "ecdsa") -> TestKey {
        let key = P256.Signing.PrivateKey()
        return TestKey(type: type, scheme: "ecdsa-sha2-nistp256", text: key.publicKey.pemRepresentation) {
            try key.signature(for: $0).derRepresentation
        }
    }

    /// Creates an ECDSA key on the curve P-384. Its digest is SHA-384.
    static func p384(type: String = "ecdsa") -> TestKey {
        let key = P384.Signing.PrivateKey()
        return TestKey(type: type, scheme: "ecdsa-sha2-nistp384", text: key.publicKey.pemRepresentation) {
            try key.signature(for: $0).derRepresentation
        }
    }

    /// The private part of ``rsa``. There is only one RSA key, because its creation takes long.
    static let rsaPrivateKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// An RSA key of 2,048 bits.
    static let rsa = rsaPrivateKey.map { key in
        TestKey(type: "rsa", scheme: "rsassa-pss-sha256", text: key.publicKey.pemRepresentation) {
            try key.signature(for: SHA256.hash(data: $0), padding: .PSS).rawRepresentation
        }
    }

    /// Returns the same key with another identifier.
    func renamed(_ id: String) -> TestKey {
        var key = self
        key.id = id
        return key
    }

    /// Returns the same key with another text of its public part.
    func withPublicText(_ change: (String) -> String) -> TestKey {
        var key = self
        guard case .string(let text) = metadata["keyval"]["public"] else { return key }
        key.metadata["keyval"]["public"] = .string(change(text))
        key.id = SHA256.hash(data: key.metadata.canonical).hex
        return key
    }
}

extension Sequence<UInt8> {
    /// The lower-case hexadecimal digits of the bytes.
    var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Returns the lower-case hexadecimal digits of a digest with an algorithm of TUF: `sha256` or `sha512`.
func digest(_ algorithm: String, of data: Data) -> String {
    algorithm == "sha512" ? SHA512.hash(data: data).hex : SHA256.hash(data: data).hex
}
