// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    extension WebKitGTKEngine {
        /// Trusts a leaf certificate for one host, in connections that are opened after this call returns.
        ///
        /// The call makes one round trip to the network process, which concurrent calls share. Without the round trip,
        /// an immediate connection may still fail.
        /// - Throws: `EngineError` with code `tls` if the bytes are not a certificate, or `timedOut` if the network
        ///   process does not respond within 20 seconds.
        public func trust(_ certificate: EngineCertificate, for host: String) async throws {
            var error: UnsafeMutablePointer<GError>?
            let pem = certificate.pem
            guard let parsed = g_tls_certificate_new_from_pem(pem, gssize(pem.utf8.count), &error) else {
                throw EngineError(.tls, "not a certificate: \(message(of: error))", at: host)
            }
            webkit_web_context_allow_tls_certificate_for_host(context, parsed, host)
            g_object_unref(parsed)
            try await networkBarrier.pass()
        }
    }

    extension EngineCertificate {
        /// The PEM form of the certificate, which GIO reads independently of its TLS backend.
        fileprivate var pem: String {
            let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
        }
    }
#endif
