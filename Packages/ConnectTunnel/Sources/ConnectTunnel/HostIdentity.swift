// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SwiftASN1
internal import WebSyntax
internal import X509

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The check that a certificate is valid for a host (RFC 9525, section 6).
///
/// NIOSSL accepts a certificate for the IP address of the connection as valid for every name. An attacker who redirects
/// a name to their own address could therefore present a certificate for that address. Behind another proxy, the
/// address of the connection is that of the proxy.
@_spi(Facade) public enum HostIdentity {
    /// Returns a Boolean value that indicates whether a subject alternative name of the certificate matches the host.
    /// - Parameters:
    ///   - host: A name or an address in lower case; an IPv6 address has no brackets.
    ///   - certificate: The DER encoding of a certificate whose chain was verified.
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

    /// Returns a Boolean value that indicates whether a host equals the pattern, or matches a pattern with `*` as its
    /// first label.
    static func matches(_ host: String, _ pattern: String) -> Bool {
        let host = host.last == "." ? String(host.dropLast()) : host
        let pattern = pattern.asciiLowercased
        guard pattern.utf8.starts(with: "*.".utf8) else { return !host.isEmpty && host == pattern }
        let rest = pattern.dropFirst()
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        // A wildcard must not match all hosts of a top-level domain.
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
