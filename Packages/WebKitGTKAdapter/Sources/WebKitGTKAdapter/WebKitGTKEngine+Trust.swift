// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    extension WebKitGTKEngine {
        /// Trusts a leaf certificate for one host, in connections that are made after this returns.
        ///
        /// Costs a round trip to the network process, without which a connection that is made at once may still fail; calls
        /// that come together share it.
        /// - Throws: `EngineError` with code `tls` where these bytes are no certificate, or `timedOut` where the network
        ///   process says nothing for 20 seconds.
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
        /// The same in PEM, which GIO reads without knowing what implements TLS.
        fileprivate var pem: String {
            let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
        }
    }
#endif
