// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import Foundation
internal import HummingbirdTLS
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A certificate for this machine's loopback names, with the authority that signed it. It is new for each server.
struct OriginCertificate {
    /// The certificate of the authority, in PEM. A client that trusts it trusts the server.
    let authorityPEM: String
    /// The server's own certificate, in DER.
    let leaf: [UInt8]
    let configuration: TLSConfiguration

    /// The host names and addresses of this machine.
    static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// Creates keys and certificates that are valid for two days.
    /// - Parameters:
    ///   - names: The subject alternative names: host names, IPv4 addresses, and `::1`. If empty, the certificate has
    ///     only a common name.
    ///   - commonName: The common name of the server's certificate.
    ///   - now: The current time.
    /// - Throws: ``ContainerTestingError`` with code `tls`.
    init(names: [String] = loopbackNames, commonName: String = "localhost", now: Date = Date()) throws {
        do {
            let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
            // A client that trusts several servers finds the authority of a certificate by its name.
            let authorityName = try DistinguishedName {
                CommonName("ContainerTesting authority \(UUID().uuidString)")
            }
            // Starts one hour in the past, for clocks that differ slightly.
            let (begin, end) = (now.addingTimeInterval(-3_600), now.addingTimeInterval(2 * 86_400))
            let authority = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: authorityKey.publicKey,
                notValidBefore: begin, notValidAfter: end, issuer: authorityName, subject: authorityName,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                },
                issuerPrivateKey: authorityKey)
            let key = P256.Signing.PrivateKey()
            let leaf = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: begin, notValidAfter: end, issuer: authorityName,
                subject: try DistinguishedName { CommonName(commonName) },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    if !names.isEmpty { SubjectAlternativeNames(names.map(Self.generalName)) }
                },
                issuerPrivateKey: authorityKey)
            authorityPEM = try authority.serializeAsPEM().pemString
            let certificate = try NIOSSLCertificate(bytes: Array(leaf.serializeAsPEM().pemString.utf8), format: .pem)
            self.leaf = try certificate.toDERBytes()
            let privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(privateKey))
            configuration.applicationProtocols = ["http/1.1"]
            self.configuration = configuration
        } catch {
            throw ContainerTestingError(.tls, "cannot create a certificate: \(error)", cause: error)
        }
    }

    private static func generalName(_ name: String) -> GeneralName {
        let numbers = name.split(separator: ".").compactMap { UInt8($0) }
        if name == "::1" {
            return .ipAddress(ASN1OctetString(contentBytes: ArraySlice([UInt8](repeating: 0, count: 15) + [1])))
        }
        return numbers.count == 4 ? .ipAddress(ASN1OctetString(contentBytes: numbers[...])) : .dnsName(name)
    }
}
