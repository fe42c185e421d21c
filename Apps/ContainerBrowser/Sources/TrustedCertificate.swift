// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import WebEngine

/// A certificate that is trusted besides those of the system, for the named hosts alone: that of a test's server.
struct TrustedCertificate: Sendable {
    /// Names and addresses, without ports.
    let hosts: [String]
    /// What the hosts present.
    let certificate: EngineCertificate
    /// The same for the container's transport.
    let authority: CertificateAuthority

    /// - Parameters:
    ///   - argument: `FILE` for the hosts of the pages, or `HOST=FILE`.
    ///   - pages: the hosts of the pages.
    /// - Throws: `CommandError` where there is no such file, or no certificate in it.
    init(_ argument: String, pages: [String]) throws {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        // A file may have the sign in its name.
        let isNamed = parts.count == 2 && !parts[0].contains("/")
        let file = isNamed ? parts[1] : argument
        hosts = isNamed ? [parts[0].lowercased()] : pages
        let text = try FileInput.text(of: file)
        let refusal = CommandError(.badInput, code: "bad-certificate", "no certificate in PEM", at: file)
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
