// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import ResourceLoading
internal import WebSyntax

/// A certificate authority that is trusted in addition to those of the system, for example a company's own authority.
///
/// It contains the bytes of its certificates. The transport that trusts them reads their fields.
public struct CertificateAuthority: Sendable {
    /// The certificates (X.509, DER); at least one.
    package let certificates: [[UInt8]]
    /// The hosts that the authority is trusted for, in lower case, IPv6 addresses without brackets; `nil` for all
    /// hosts.
    package let hosts: Set<String>?

    /// Creates an authority from certificates in PEM (RFC 7468).
    ///
    /// Blocks with another label than `CERTIFICATE`, such as keys, and text outside of blocks are ignored.
    /// - Parameters:
    ///   - pem: The text of one or more certificates.
    ///   - hosts: The names and addresses, without ports, that the authority is trusted for; `nil` for all hosts.
    /// - Throws: `ResourceError` with code `tls` if the text contains no certificate, or if a certificate has no end,
    ///   invalid base64, or bytes that are not exactly one DER sequence.
    public init(pem: String, hosts: [String]? = nil) throws(ResourceError) {
        self.hosts = hosts.map { Set($0.map { HostPort(host: $0, port: 443).host }) }
        certificates = try CertificateText.certificates(in: pem)
        guard !certificates.isEmpty else { throw ResourceError(.tls, "the PEM text contains no certificate") }
    }

    /// Returns the certificates (X.509, DER) of the authorities that are trusted for a host.
    /// - Parameter host: A name or an address in lower case, an IPv6 address without brackets.
    @_spi(Facade) public static func certificates(
        among authorities: [CertificateAuthority], trustedFor host: String
    ) -> [[UInt8]] {
        authorities.filter { $0.isTrusted(for: host) }.flatMap(\.certificates)
    }

    /// Returns a Boolean value that indicates whether the authority is trusted for a host.
    /// - Parameter host: A name or an address in lower case, an IPv6 address without brackets.
    package func isTrusted(for host: String) -> Bool { hosts?.contains(host) ?? true }
}

/// The textual encoding of certificates (RFC 7468).
private enum CertificateText {
    private static let begin = "-----BEGIN CERTIFICATE-----".utf8
    private static let end = "-----END CERTIFICATE-----".utf8

    /// Returns the bytes of each certificate in a text.
    static func certificates(in text: String) throws(ResourceError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        // The base64 of the current certificate; `nil` between certificates.
        var base64: Data?
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if base64 == nil {
                if isBoundary(line, begin) { base64 = Data() }
            } else if isBoundary(line, end) {
                certificates.append(try bytes(of: base64 ?? Data()))
                base64 = nil
            } else {
                base64?.append(contentsOf: line.lazy.filter { !isWhiteSpace($0) })
            }
        }
        guard base64 == nil else { throw ResourceError(.tls, "a certificate of the PEM text has no end") }
        return certificates
    }

    /// Returns a Boolean value that indicates whether a line is a boundary. White space may follow it (section 3).
    private static func isBoundary(_ line: Substring.UTF8View, _ boundary: String.UTF8View) -> Bool {
        line.starts(with: boundary) && line.dropFirst(boundary.count).allSatisfy(isWhiteSpace)
    }

    /// Returns a Boolean value that indicates whether a byte within a line is white space: a space, or one of the
    /// controls from horizontal tab to form feed (section 3).
    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 0x09...0x0c ~= byte }

    private static func bytes(of base64: Data) throws(ResourceError) -> [UInt8] {
        // Foundation also decodes other forms of the same bytes, such as surplus padding (RFC 4648, section 3.5).
        guard let data = Data(base64Encoded: base64), data.base64EncodedData() == base64 else {
            throw ResourceError(.tls, "the base64 of a certificate in the PEM text is not valid")
        }
        let bytes = Array(data)
        guard isSequence(bytes) else {
            throw ResourceError(.tls, "a certificate of the PEM text is not exactly one DER sequence")
        }
        return bytes
    }

    /// Returns a Boolean value that indicates whether bytes are one SEQUENCE, and nothing after it, whose length is
    /// definite and in the shortest form (X.690, sections 8.1.3 and 10.1).
    private static func isSequence(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        guard bytes[1] >= 0x80 else { return Int(bytes[1]) == bytes.count - 2 }
        // Four bytes are enough for the length of any text in memory.
        let digits = bytes.dropFirst(2).prefix(Int(bytes[1] & 0x7f))
        guard 1...4 ~= bytes[1] & 0x7f, digits.first != 0 else { return false }
        let length = digits.reduce(0) { $0 << 8 | Int($1) }
        return length >= 0x80 && length == bytes.count - 2 - digits.count
    }
}
