// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// On Linux, which has no Security, only `Scripts/check-darwin` type-checks it. The table of certificates is in
// WKWebViewNetworking.swift.

#if canImport(WebKit) && canImport(Security)
    internal import Foundation
    internal import Security

    enum ServerTrust {
        /// Returns the DER encoding of the certificate that a server presents; `nil` if there is none.
        static func leaf(of trust: SecTrust) -> Data? {
            guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let leaf = chain.first else {
                return nil
            }
            return SecCertificateCopyData(leaf) as Data
        }

        /// Returns a Boolean value that indicates whether the system can read a certificate.
        static func isCertificate(_ der: Data) -> Bool { SecCertificateCreateWithData(nil, der as CFData) != nil }

        /// Returns the credential that accepts a server, if the table has its certificate; otherwise `nil`.
        @MainActor
        static func credential(for space: URLProtectionSpace, in networking: WKWebViewNetworking) -> URLCredential? {
            guard let trust = space.serverTrust, let der = leaf(of: trust),
                networking.isTrusted(leaf: der, host: space.host)
            else { return nil }
            return URLCredential(trust: trust)
        }
    }
#endif
