// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOSSL
public import ResourceLoading

/// An authority whose certificates are trusted: a company's own, or a test's.
public struct CertificateAuthority: Sendable {
    let certificates: [NIOSSLCertificate]

    /// - Parameter pem: one certificate or several, as text.
    /// - Throws: `ResourceError` with code `tls` where there is none.
    public init(pem: String) throws(ResourceError) {
        do {
            certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
        } catch {
            throw ResourceError(.tls, "not a certificate in PEM", cause: error)
        }
        guard !certificates.isEmpty else { throw ResourceError(.tls, "no certificate in PEM") }
    }
}
