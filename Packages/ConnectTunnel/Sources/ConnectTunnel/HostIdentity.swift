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

/// The check that a certificate belongs to a host (RFC 9525, section 6).
///
/// NIOSSL accepts a certificate for the address of the connection as one for every name, so that an attacker who leads a
/// name to an address of theirs could show a certificate of their own. Behind another proxy that address is the proxy's.
public enum HostIdentity {
    /// Returns a Boolean value that indicates whether a subject alternative name of the certificate is the host.
    /// - Parameters:
    ///   - host: A name or an address in lower case, of IPv6 without brackets.
    ///   - certificate: The DER of a certificate whose chain was verified.
    public static func isOf(_ host: String, certificate: [UInt8]) -> Bool {
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

    /// Returns a Boolean value that indicates whether the pattern is the name, or has `*` in the place of its first label.
    static func matches(_ host: String, _ pattern: String) -> Bool {
        let host = host.last == "." ? String(host.dropLast()) : host
        let pattern = pattern.lowercased()
        guard pattern.utf8.starts(with: "*.".utf8) else { return !host.isEmpty && host == pattern }
        let rest = pattern.dropFirst()
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        // Not all hosts of a top-level domain.
        return host[dot...] == rest && rest.dropFirst().contains(".")
    }

    /// Returns the octets of an address, or `nil` for a name.
    public static func bytes(ofAddress host: String) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { octets in
            for (family, count) in [(AF_INET, 4), (AF_INET6, 16)]
            where inet_pton(family, host, octets.baseAddress) == 1 { return Array(octets[..<count]) }
            return nil
        }
    }
}
