// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTransport
import HTTPTypes
import NIOSSL
import ResourceLoading
import Testing

@testable import ContainerTesting
@testable import NIOTransport

@Suite("Certificate authorities that cannot be read", .timeLimit(.minutes(3)))
struct HostAuthoritiesTests {
    /// Returns an authority whose certificate has the outer form of DER, but no fields.
    private func unreadable(for hosts: [String]? = nil) throws -> CertificateAuthority {
        try CertificateAuthority(
            pem: "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n", hosts: hosts)
    }

    @Test("Each request of a transport fails with the number of the authority, to hosts of others too")
    func requests() async throws {
        let readable = try CertificateAuthority(pem: OriginCertificate().authorityPEM)
        for hosts in [nil, ["shop.test"]] {
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.authorities = [readable, try unreadable(for: hosts), readable]
            try await withOrigin(
                [try route(.get, "/*") { _ in .text("a") }], transport: configuration
            ) { origin, transport async throws in
                for url in [origin.url + "/", "https://shop.test/", "http://localhost:\(origin.port)/"] {
                    let error = await #expect(throws: ResourceError.self) { try await transport.send(url) }
                    #expect(error?.code == .tls && error?.location == url)
                    #expect(error?.message.contains("certificate authority 2") == true)
                    #expect(error?.transportPhase == nil)
                }
                #expect(origin.requestCount == 0)
            }
        }
    }

    @Test("A transport with a resolver starts no tunnel")
    func tunnel() async throws {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [try unreadable()]
        configuration.addresses = AddressBook.loopback
        let transport = AsyncHTTPTransport(configuration) { _, _ in throw CancellationError() }
        await expectFailure(.tls, at: "http://shop.test/") { try await transport.send("http://shop.test/") }
        try await transport.shutDown()
    }

    @Test("The settings contain the certificates of an authority for its hosts only")
    func settings() throws {
        let pem = try OriginCertificate().authorityPEM
        let own = try HostAuthorities([try CertificateAuthority(pem: pem, hosts: ["shop.test"])])
        #expect(own.common.additionalTrustRoots.isEmpty)
        #expect(own.settings(of: "shop.test")?.additionalTrustRoots.count == 1)
        #expect(own.settings(of: "other.test") == nil)
        let every = try HostAuthorities([try CertificateAuthority(pem: pem)])
        #expect(every.common.additionalTrustRoots.count == 1)
    }
}
