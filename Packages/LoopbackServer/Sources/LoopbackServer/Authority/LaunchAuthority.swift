// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A certificate authority that lasts for one launch. Its private key exists only in memory.
struct LaunchAuthority: Sendable {
    /// The validity of a leaf certificate: 7 days. Engines reject certificates that are valid for years.
    static let validity = Duration.seconds(7 * 86_400)
    /// The time in seconds by which the validity starts early, for clocks that are set back while the app runs.
    private static let leeway: TimeInterval = 3_600

    /// The certificate of the authority (X.509, DER).
    let certificate: [UInt8]
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    /// Creates a key and a certificate.
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
            throw LoopbackError(.certificate, "cannot create the certificate authority", cause: error)
        }
    }

    /// Creates a certificate for one host, with a key of its own.
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
                // A host name may exceed the length of a common name, so it appears only in the alternative names.
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
            // An engine does not read close_notify on an idle connection and need not respond to it (RFC 8446, section
            // 6.1). Without a shorter timeout, `stop()` would wait for NIOSSL's five seconds. Response bytes that the
            // engine has not read by then, beyond the socket buffer, are lost with the connection.
            configuration.shutdownTimeout = .milliseconds(200)
            return Leaf(certificate: der, end: end, context: try NIOSSLContext(configuration: configuration))
        } catch {
            throw LoopbackError(.certificate, "cannot create a certificate", at: host, cause: error)
        }
    }

    /// Returns the subject alternative name of a host (RFC 5280, section 4.2.1.6).
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

    /// A certificate for one host, with the TLS context of a server that presents it.
    struct Leaf: Sendable {
        /// The certificate (X.509, DER).
        let certificate: [UInt8]
        /// The end of the validity.
        let end: Date
        let context: NIOSSLContext
    }
}

/// A type of the app that makes the engine trust certificates of the proxy or the local server.
///
/// Isolation: methods may be called from any isolation and concurrently.
public protocol CertificateTrusting: Sendable {
    /// Makes the engine trust exactly this certificate (X.509, DER) for exactly this host.
    ///
    /// The trust must apply to all connections that the engine starts after the method returns. Before that, the server
    /// starts no TLS handshake for the host.
    /// - Throws: Any error. The host is then not intercepted.
    func trust(_ certificate: [UInt8], for host: String) async throws
}
