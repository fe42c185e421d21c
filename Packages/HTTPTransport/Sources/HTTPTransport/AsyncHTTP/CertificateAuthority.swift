// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOSSL
public import ResourceLoading

/// A certificate authority that is trusted in addition to those of the system, for example a company's own authority.
public struct CertificateAuthority: Sendable {
    let certificates: [NIOSSLCertificate]
    /// The hosts that the authority is trusted for, in lower case, IPv6 addresses without brackets; `nil` for all
    /// hosts.
    let hosts: Set<String>?

    /// Creates an authority from certificates in PEM.
    /// - Parameters:
    ///   - pem: The text of one or more certificates.
    ///   - hosts: The names and addresses, without ports, that the authority is trusted for; `nil` for all hosts.
    /// - Throws: `ResourceError` with code `tls` if the text contains no certificate.
    public init(pem: String, hosts: [String]? = nil) throws(ResourceError) {
        self.hosts = hosts.map { Set($0.map { HostPort(host: $0, port: 443).host }) }
        do {
            certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
        } catch {
            throw ResourceError(.tls, "the text is not a valid PEM certificate", cause: error)
        }
        guard !certificates.isEmpty else { throw ResourceError(.tls, "the PEM text contains no certificate") }
    }

    /// Returns the certificates (X.509, DER) of the authorities that are trusted for a host.
    /// - Parameter host: A name or an address in lower case, an IPv6 address without brackets.
    @_spi(Facade) public static func certificates(
        among authorities: [CertificateAuthority], trustedFor host: String
    ) -> [[UInt8]] {
        authorities.filter { $0.isTrusted(for: host) }.flatMap(\.certificates).compactMap { try? $0.toDERBytes() }
    }

    fileprivate func isTrusted(for host: String) -> Bool { hosts?.contains(host) ?? true }
}

/// The TLS settings of a transport: settings for each host with certificate authorities of its own, and settings for
/// all other hosts.
struct HostAuthorities: Sendable {
    /// The settings of hosts without a certificate authority of their own.
    let common: TLSConfiguration
    private let byHost: [String: TLSConfiguration]

    init(_ authorities: [CertificateAuthority]) {
        func settings(trusting authorities: [CertificateAuthority]) -> TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
            // RFC 8996 forbids TLS 1.0 and 1.1.
            tls.minimumTLSVersion = .tlsv12
            if !authorities.isEmpty {
                tls.additionalTrustRoots = [.certificates(authorities.flatMap(\.certificates))]
            }
            return tls
        }
        common = settings(trusting: authorities.filter { $0.hosts == nil })
        let hosts = authorities.reduce(into: Set<String>()) { $0.formUnion($1.hosts ?? []) }
        byHost = hosts.reduce(into: [:]) { byHost, host in
            byHost[host] = settings(trusting: authorities.filter { $0.isTrusted(for: host) })
        }
    }

    /// Returns the settings of a host, or `nil` if the host uses ``common``.
    /// - Parameter host: A name or an address in lower case, an IPv6 address without brackets.
    func settings(of host: String) -> TLSConfiguration? { byHost[host] }
}
