// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SwiftASN1
internal import X509

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Whether a certificate is one host's (RFC 9525).
///
/// NIOSSL takes a certificate for the address that was connected to as good for every name, so that who leads a name to
/// an address of his own could show his own certificate; and behind another proxy that address is the proxy's.
enum HostIdentity {
    /// - Parameters:
    ///   - certificate: DER, of a chain that was verified.
    ///   - host: a name or an address in lower case, of IPv6 without brackets.
    static func isOf(_ host: String, certificate: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: certificate),
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return false }
        let address = bytes(ofAddress: host)
        return names.contains { name in
            switch name {
            case .dnsName(let pattern): address == nil && matches(host, pattern)
            case .ipAddress(let octets): address.map { $0.elementsEqual(octets.bytes) } ?? false
            default: false
            }
        }
    }

    /// The name itself, or any one label in the place of a first label `*`.
    static func matches(_ host: String, _ pattern: String) -> Bool {
        let host = host.last == "." ? String(host.dropLast()) : host
        let pattern = pattern.lowercased()
        guard pattern.utf8.starts(with: "*.".utf8) else { return !host.isEmpty && host == pattern }
        let rest = pattern.dropFirst()
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        // A star for all hosts of a top-level domain is nobody's.
        return host[dot...] == rest && rest.dropFirst().contains(".")
    }

    /// The octets of an address, `nil` for a name.
    static func bytes(ofAddress host: String) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { octets in
            for (family, count) in [(AF_INET, 4), (AF_INET6, 16)]
            where inet_pton(family, host, octets.baseAddress) == 1 { return Array(octets[..<count]) }
            return nil
        }
    }
}
