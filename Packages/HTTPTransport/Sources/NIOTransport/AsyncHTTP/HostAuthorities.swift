// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import NIOSSL
internal import ResourceLoading

/// The TLS settings of a transport: settings for each host with certificate authorities of its own, and settings for
/// all other hosts.
struct HostAuthorities: Sendable {
    /// The settings of hosts without a certificate authority of their own.
    let common: TLSConfiguration
    private let byHost: [String: TLSConfiguration]

    /// Creates settings that trust certificate authorities.
    /// - Throws: `ResourceError` with code `tls` and the number of the authority if one of its certificates cannot be
    ///   read.
    init(_ authorities: [CertificateAuthority]) throws(ResourceError) {
        var readable: [(authority: CertificateAuthority, certificates: [NIOSSLCertificate])] = []
        for authority in authorities {
            do {
                let certificates = try authority.certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }
                readable.append((authority, certificates))
            } catch {
                let number = readable.count + 1
                throw ResourceError(
                    .tls, "certificate authority \(number) of the transport contains an invalid certificate",
                    cause: error)
            }
        }
        func settings(trusting isTrusted: (CertificateAuthority) -> Bool) -> TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
            // RFC 8996 forbids TLS 1.0 and 1.1.
            tls.minimumTLSVersion = .tlsv12
            let certificates = readable.filter { isTrusted($0.authority) }.flatMap(\.certificates)
            if !certificates.isEmpty { tls.additionalTrustRoots = [.certificates(certificates)] }
            return tls
        }
        common = settings { $0.hosts == nil }
        let hosts = authorities.reduce(into: Set<String>()) { $0.formUnion($1.hosts ?? []) }
        byHost = hosts.reduce(into: [:]) { byHost, host in
            byHost[host] = settings { $0.isTrusted(for: host) }
        }
    }

    /// Returns the settings of a host, or `nil` if the host uses ``common``.
    /// - Parameter host: A name or an address in lower case, an IPv6 address without brackets.
    func settings(of host: String) -> TLSConfiguration? { byHost[host] }
}
