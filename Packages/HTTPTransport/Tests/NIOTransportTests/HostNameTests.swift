// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncHTTPClient
import AsyncSupport
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import ResourceLoading
import Testing

@testable import ContainerTesting
@testable import HTTPTransport
@testable import NIOTransport

@Suite("Host names of TLS connections", .timeLimit(.minutes(3)))
struct HostNameTests {
    /// A case: the names of a certificate, a host, and a Boolean value that indicates whether the certificate matches
    /// the host.
    struct Case: Sendable, CustomTestStringConvertible {
        let names: [String]
        let host: String
        let isValid: Bool
        var testDescription: String { "\(names) \(host)" }
    }

    static let cases = [
        Case(names: ["localhost"], host: "localhost", isValid: true),
        Case(names: ["127.0.0.1"], host: "127.0.0.1", isValid: true),
        Case(names: ["127.0.0.1"], host: "localhost", isValid: false),
        Case(names: ["localhost"], host: "127.0.0.1", isValid: false),
        // The certificate has the common name localhost and no alternative names.
        Case(names: [], host: "localhost", isValid: false),
        Case(names: ["*.shop.test"], host: "a.shop.test", isValid: true),
        Case(names: ["*.shop.test"], host: "A.Shop.test", isValid: true),
        Case(names: ["*.shop.test"], host: "shop.test", isValid: false),
        Case(names: ["*.shop.test"], host: "a.b.shop.test", isValid: false),
        Case(names: ["*.test"], host: "shop.test", isValid: false),
        Case(names: ["127.0.0.1"], host: "a.shop.test", isValid: false),
        Case(names: ["shop.test"], host: "shop.test", isValid: true),
        Case(names: ["other.test"], host: "shop.test", isValid: false),
    ]

    @Test("HTTP/1.1: a request is sent only if the certificate matches", arguments: Subject.withAuthorities, cases)
    func http1(subject: Subject, test: Case) async throws {
        let certificate = try OriginCertificate(names: test.names)
        let received = Mutex(0)
        try await RawServer.with(tls: certificate.configuration) { input, output in
            guard let head = try await input.next() else { return }
            received.withLock { $0 += head.readableBytes }
            try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await subject.with(
                .init(
                    authorities: [CertificateAuthority(pem: certificate.authorityPEM)],
                    addresses: test.host.contains(".test") || test.host.contains(".Test") ? AddressBook.loopback : nil)
            ) { transport async throws in
                let url = "https://\(test.host):\(server.port)/"
                if test.isValid {
                    #expect(try await transport.get(url) == Data("ok".utf8))
                } else {
                    await expectFailure(.tls) { try await transport.get(url) }
                }
            }
        }
        #expect((received.withLock { $0 } > 0) == test.isValid)
    }

    @Test("HTTP/2: a request is sent only if the certificate matches", arguments: Subject.withAuthorities, cases)
    func http2(subject: Subject, test: Case) async throws {
        let certificate = try OriginCertificate(names: test.names)
        let received = Mutex(0)
        try await RawHTTP2Server.with(certificate: certificate) { peer in
            while let request = try await peer.next(RawHTTP2Peer.headers) {
                received.withLock { $0 += 1 }
                try await peer.head("200", of: request.stream)
                try await peer.body("ok", of: request.stream, isLast: true)
            }
        } _: { server async throws in
            try await subject.with(
                .init(
                    authorities: [CertificateAuthority(pem: certificate.authorityPEM)],
                    addresses: test.host.contains(".test") ? AddressBook.loopback : nil)
            ) { transport async throws in
                let url = "https://\(test.host):\(server.port)/"
                if test.isValid {
                    #expect(try await transport.get(url) == Data("ok".utf8))
                } else {
                    await expectFailure(.tls) { try await transport.get(url) }
                }
            }
        }
        #expect((received.withLock { $0 } > 0) == test.isValid)
    }

    @Test("A certificate authority of one host is not trusted for another", arguments: Subject.withAuthorities)
    func authorityOfOneHost(subject: Subject) async throws {
        let certificate = try OriginCertificate()
        try await RawServer.with(tls: certificate.configuration) { input, output in
            guard try await input.next() != nil else { return }
            try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
            output.finish()
        } _: { server async throws in
            let authority = try CertificateAuthority(pem: certificate.authorityPEM, hosts: ["LOCALHOST"])
            try await subject.with(.init(authorities: [authority])) { transport async throws in
                #expect(try await transport.get("https://localhost:\(server.port)/") == Data("ok".utf8))
                await expectFailure(.tls) { try await transport.get("https://127.0.0.1:\(server.port)/") }
            }
        }
    }

    @Test("TLS 1.2 is the oldest version", arguments: Subject.withAuthorities, [TLSVersion.tlsv1, .tlsv11, .tlsv12])
    func oldestVersion(subject: Subject, version: TLSVersion) async throws {
        let certificate = try OriginCertificate()
        var settings = certificate.configuration
        settings.minimumTLSVersion = .tlsv1
        settings.maximumTLSVersion = version
        try await RawServer.with(tls: settings) { input, output in
            guard try await input.next() != nil else { return }
            try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await subject.with(.init(authorities: [CertificateAuthority(pem: certificate.authorityPEM)])) {
                transport async throws in
                if version == .tlsv12 {
                    #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                } else {
                    await expectFailure(.tls) { try await transport.get(server.url + "/") }
                }
            }
        }
    }

    @Test("A connection without the handlers of the transport accepts no request")
    func missingHandlers() throws {
        let connection = EmbeddedChannel()
        try connection.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(throws: (any Error).self) { try AsyncHTTPClients.prepare(connection: connection) }
        #expect(!connection.isActive)
        let shared = EmbeddedChannel()
        try shared.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(throws: (any Error).self) { try AsyncHTTPClients.prepare(shared: shared) }
        #expect(!shared.isActive)
        #expect(throws: (any Error).self) { try AsyncHTTPClients.prepare(stream: EmbeddedChannel()) }
    }

    @Test("The tracer of the process receives no requests")
    func tracer() async throws {
        let clients = AsyncHTTPClients(.init(), trusting: try HostAuthorities([]), tunnel: nil)
        #expect(clients.pooled.tracer == nil)
        #expect(clients.fresh.tracer == nil)
        #expect(clients.freshHTTP1.tracer == nil)
        try await clients.shutDown()
    }
}
