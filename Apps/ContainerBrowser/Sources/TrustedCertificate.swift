// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import WebEngine
internal import WebSyntax

/// A certificate that is trusted for the named hosts in addition to the system's authorities, for test servers.
struct TrustedCertificate: Sendable {
    /// The host names and addresses, without ports.
    let hosts: [String]
    /// The certificate that the hosts present.
    let certificate: EngineCertificate
    /// The same certificate for the container's transport.
    let authority: CertificateAuthority

    /// Creates a certificate from a command line argument.
    /// - Parameters:
    ///   - argument: `FILE` for the hosts of the pages, or `HOST=FILE`.
    ///   - pages: The hosts of the pages.
    /// - Throws: `CommandError` if the file does not exist or contains no certificate.
    init(_ argument: String, pages: [String]) throws {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        // A file path may contain an equals sign.
        let isNamed = parts.count == 2 && !parts[0].contains("/")
        let file = isNamed ? parts[1] : argument
        hosts = isNamed ? [parts[0].asciiLowercased] : pages
        let text = try FileInput.text(of: file)
        let refusal = CommandError(.badInput, code: "bad-certificate", "the file contains no PEM certificate", at: file)
        guard let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = text.range(of: "-----END CERTIFICATE-----", range: begin.upperBound..<text.endIndex),
            let der = Data(
                base64Encoded: String(text[begin.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters),
            !der.isEmpty
        else { throw refusal }
        certificate = EngineCertificate(der: Array(der))
        do {
            authority = try CertificateAuthority(pem: String(text[begin.lowerBound..<end.upperBound]), hosts: hosts)
        } catch {
            throw refusal
        }
    }
}
