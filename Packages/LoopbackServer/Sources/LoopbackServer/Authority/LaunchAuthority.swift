// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A certificate authority of this launch. Its key is in memory only, and gone with it.
struct LaunchAuthority: Sendable {
    /// How long a certificate holds. Engines refuse certificates that hold for years.
    static let validity = Duration.seconds(7 * 86_400)
    /// Covers clocks that are set back a little while the app runs.
    private static let leeway: TimeInterval = 3_600

    /// Its own certificate (X.509, DER).
    let certificate: [UInt8]
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    /// Makes a key and a certificate.
    /// - Throws: ``LoopbackError`` with code `certificate`.
    init(now: Date = Date()) throws(LoopbackError) {
        do {
            key = P256.Signing.PrivateKey()
            name = try DistinguishedName {
                CommonName("ContainerKit launch authority")
            }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: now.addingTimeInterval(-Self.leeway),
                notValidAfter: now.addingTimeInterval(30 * 86_400),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true))
                },
                issuerPrivateKey: Certificate.PrivateKey(key))
            self.certificate = try Self.der(certificate)
        } catch {
            throw LoopbackError(.certificate, "cannot make an authority", cause: error)
        }
    }

    /// Makes a certificate for one host, with a key of its own.
    /// - Throws: ``LoopbackError`` with code `certificate`.
    func leaf(for host: String, now: Date = Date()) throws(LoopbackError) -> Leaf {
        do {
            let leafKey = P256.Signing.PrivateKey()
            let end = now.addingTimeInterval(TimeInterval(Self.validity.components.seconds))
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(leafKey.publicKey),
                notValidBefore: now.addingTimeInterval(-Self.leeway), notValidAfter: end,
                issuer: name,
                // A name may be longer than a common name may be: it is in the alternative names alone.
                subject: try DistinguishedName { CommonName("ContainerKit") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames([Self.name(of: host)])
                },
                issuerPrivateKey: Certificate.PrivateKey(key))
            let der = try Self.der(certificate)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(try NIOSSLCertificate(bytes: der, format: .der))],
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(leafKey.derRepresentation), format: .der)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            // An engine that keeps a connection for later does not read a farewell there, and need not answer it
            // (RFC 8446, section 6.1): a stop would wait for NIOSSL's five seconds. What an engine has not taken of an
            // answer by then, beyond what the system holds for it, is lost with the connection.
            configuration.shutdownTimeout = .milliseconds(200)
            return Leaf(certificate: der, end: end, context: try NIOSSLContext(configuration: configuration))
        } catch {
            throw LoopbackError(.certificate, "cannot make a certificate", at: host, cause: error)
        }
    }

    /// RFC 5280, section 4.2.1.6.
    private static func name(of host: String) -> GeneralName {
        if let address = HostIdentity.bytes(ofAddress: host) {
            return .ipAddress(ASN1OctetString(contentBytes: ArraySlice(address)))
        }
        return .dnsName(host)
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    /// A certificate for one host, and what a server shows it with.
    struct Leaf: Sendable {
        /// X.509, DER.
        let certificate: [UInt8]
        /// When it holds no more.
        let end: Date
        let context: NIOSSLContext
    }
}

/// Has the engine trust the certificates that the proxy shows it.
///
/// Isolation: any, and concurrently.
public protocol CertificateTrusting: Sendable {
    /// Has the engine trust exactly this certificate (X.509, DER) for exactly this host. In effect for connections that
    /// begin after the return, wherever in the engine: the proxy does not let one begin before.
    /// - Throws: any error: the host is not opened then.
    func trust(_ certificate: [UInt8], for host: String) async throws
}
