// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOSSL

/// The TLS settings of a transport: those of all hosts, and those of hosts that have authorities of their own.
struct HostAuthorities: Sendable {
    /// The settings of hosts without an authority of their own.
    let common: TLSConfiguration
    private let byHost: [String: TLSConfiguration]

    init(_ authorities: [CertificateAuthority]) {
        func settings(trusting authorities: [CertificateAuthority]) -> TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
            // RFC 8996: earlier versions must not be used.
            tls.minimumTLSVersion = .tlsv12
            if !authorities.isEmpty {
                tls.additionalTrustRoots = [.certificates(authorities.flatMap(\.certificates))]
            }
            return tls
        }
        common = settings(trusting: authorities.filter { $0.hosts == nil })
        let hosts = authorities.reduce(into: Set<String>()) { $0.formUnion($1.hosts ?? []) }
        byHost = hosts.reduce(into: [:]) { byHost, host in
            byHost[host] = settings(trusting: authorities.filter { $0.hosts?.contains(host) ?? true })
        }
    }

    /// Returns the settings of a host, or `nil` if it has those of all hosts.
    /// - Parameter host: A name or an address in lower case, of IPv6 without brackets.
    func settings(of host: String) -> TLSConfiguration? { byHost[host] }
}
