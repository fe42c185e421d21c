// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing

@_spi(Facade) @testable import HTTPTransport

@Suite("Certificate authorities in PEM")
struct CertificateAuthorityTests {
    /// A SEQUENCE of the INTEGER `value`, which has the outer form of a certificate.
    private static func sequence(_ value: UInt8) -> [UInt8] { [0x30, 3, 0x02, 1, value] }

    private static func block(_ bytes: [UInt8], label: String = "CERTIFICATE") -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    @Test("The bytes of each certificate are kept in order, without keys and text between the blocks")
    func several() throws {
        let text =
            "Subject: a\n" + Self.block(Self.sequence(1)) + "\n" + Self.block([1, 2, 3], label: "PRIVATE KEY")
            + Self.block([4], label: "TRUSTED CERTIFICATE") + "-----END CERTIFICATE-----\n"
            + Self.block(Self.sequence(2)) + "the end"
        #expect(try CertificateAuthority(pem: text).certificates == [Self.sequence(1), Self.sequence(2)])
    }

    @Test("Lines have any length and any ending, and white space is ignored", arguments: ["\n", "\r\n", "\r"])
    func lines(ending: String) throws {
        let long = [0x30, 0x82, 0x01, 0x00] + [UInt8](repeating: 7, count: 256)
        let base64 = Data(long).base64EncodedString()
        let middle = base64.index(base64.startIndex, offsetBy: 63)
        let lines = [
            "-----BEGIN CERTIFICATE----- \t", "", " \(base64[..<middle])\t", "\(base64[middle...])\u{b}\u{c} ",
            "-----END CERTIFICATE-----  ",
        ]
        #expect(try CertificateAuthority(pem: lines.joined(separator: ending)).certificates == [long])
    }

    @Test(
        "A text without a certificate is refused",
        arguments: [
            "", "a", " -----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----",
            "a -----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----a\nMAMCAQE=\n-----END CERTIFICATE-----",
            "-----BEGIN certificate-----\nMAMCAQE=\n-----END certificate-----",
            "----BEGIN CERTIFICATE----\nMAMCAQE=\n----END CERTIFICATE----", "-----END CERTIFICATE-----",
            "-----BEGIN PRIVATE KEY-----\nMAMCAQE=\n-----END PRIVATE KEY-----",
        ])
    func none(text: String) throws {
        let error = try #require(throws: ResourceError.self) { try CertificateAuthority(pem: text) }
        #expect(error.code == .tls && error.message == "the PEM text contains no certificate")
    }

    @Test(
        "A certificate that is cut off, or whose base64 is not valid, is refused, also after another certificate",
        arguments: [
            "-----BEGIN CERTIFICATE-----\nMAMCAQE=", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END PRIVATE KEY-----\n",
            "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAMCAQE\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAMC*AQE=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAMCAQE=MAMCAQE=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nDEK-Info: a\n\nMAMCAQE=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAA==\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAB=\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAAA====\n-----END CERTIFICATE-----",
        ])
    func damaged(text: String) throws {
        for text in [text, Self.block(Self.sequence(1)) + text] {
            let error = try #require(throws: ResourceError.self) { try CertificateAuthority(pem: text) }
            #expect(error.code == .tls && !error.message.contains("\n"))
        }
    }

    @Test(
        "Bytes that are not exactly one DER sequence are refused",
        arguments: [
            [0x30], [0x31, 3, 2, 1, 1], [0x30, 3, 2, 1], [0x30, 3, 2, 1, 1, 0], [0x10, 3, 2, 1, 1],
            // The indefinite length, and lengths in more bytes than necessary (X.690, section 10.1).
            [0x30, 0x80, 2, 1, 1, 0, 0], [0x30, 0x81, 3, 2, 1, 1], [0x30, 0x82, 0, 3, 2, 1, 1],
            [0x30, 0x82, 0, 0x80] + [UInt8](repeating: 0, count: 0x80),
            // Lengths beyond the end, or cut off.
            [0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 2, 1, 1], [0x30, 0x82, 1], [0x30, 0x81],
            [0x30, 0xff, 1, 1, 1], [0x30, 0x85, 1, 0, 0, 0, 0],
        ] as [[UInt8]])
    func notSequences(bytes: [UInt8]) throws {
        let error = try #require(throws: ResourceError.self) { try CertificateAuthority(pem: Self.block(bytes)) }
        #expect(error.code == .tls && error.message.contains("DER"))
    }

    @Test("Lengths of each form are accepted", arguments: [0, 0x7f, 0x80, 0xff, 0x100, 0x1_0000])
    func lengths(count: Int) throws {
        var length = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0.drop { $0 == 0 }) }
        if count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) } else { length = [UInt8(count)] }
        let bytes = [0x30] + length + [UInt8](repeating: 5, count: count)
        #expect(try CertificateAuthority(pem: Self.block(bytes)).certificates == [bytes])
    }

    @Test("The certificates for a host are those of the authorities that are trusted for it")
    func hosts() throws {
        let authorities = [
            try CertificateAuthority(pem: Self.block(Self.sequence(1))),
            try CertificateAuthority(pem: Self.block(Self.sequence(2)), hosts: ["Shop.test", "[::1]"]),
        ]
        func trusted(_ host: String) -> [[UInt8]] {
            CertificateAuthority.certificates(among: authorities, trustedFor: host)
        }
        #expect(trusted("other.test") == [Self.sequence(1)])
        for host in ["shop.test", "::1"] { #expect(trusted(host) == [Self.sequence(1), Self.sequence(2)]) }
    }
}
