// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOSSL
import ResourceLoading
import Testing

@testable import ContainerTesting
@_spi(Facade) @testable import HTTPTransport
@testable import NIOTransport

/// TLS connections that end without close_notify (RFC 8446, section 6.1).
@Suite("Ends of TLS connections", .timeLimit(.minutes(3)))
struct CloseNotifyTests {
    private func with(
        _ subject: Subject, _ answer: String, end: RawServer.End = .serverWithoutCloseNotify,
        _ body: @Sendable (any HTTPTransporting, String) async throws -> Void
    ) async throws {
        let certificate = try OriginCertificate()
        try await RawServer.with(tls: certificate.configuration, end: end) { input, output in
            guard try await input.next() != nil else { return }
            try await output.write(ByteBuffer(string: answer))
        } _: { server async throws in
            try await subject.with(.init(authorities: [CertificateAuthority(pem: certificate.authorityPEM)])) {
                transport async throws in
                try await body(transport, server.url + "/")
            }
        }
    }

    private func load(_ url: String, by loader: some ResourceLoader) async throws -> Data {
        let request = ResourceRequest(try #require(HTTPRequest(method: .get, urlText: url)))
        let response = try #require(try await loader.load(request))
        return try await response.body.collect(upTo: 1 << 20)
    }

    @Test(
        "A body that ends with its connection arrives and then fails; with CloseDelimitedLoader it ends normally",
        arguments: Subject.withAuthorities,
        ["HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"])
    func delimitedByClose(subject: Subject, head: String) async throws {
        try await with(subject, head + String(repeating: "z", count: 500)) { transport, url async throws in
            guard case .stream(let stream) = try await transport.send(url).body else {
                Issue.record("no stream")
                return
            }
            var received = 0
            do {
                for try await data in stream { received += data.count }
                Issue.record("no error")
            } catch let error as ResourceError {
                #expect(error.isUnconfirmedResponseEnd && error.code == .connectionLost)
            }
            #expect(received == 500)
            let body = try await load(url, by: CloseDelimitedLoader(NetworkLoader(transport)))
            #expect(body == Data(repeating: UInt8(ascii: "z"), count: 500))
        }
    }

    @Test("A body that ends with its connection ends normally after close_notify", arguments: Subject.withAuthorities)
    func closeNotify(subject: Subject) async throws {
        try await with(subject, "HTTP/1.0 200 OK\r\n\r\nabc", end: .server) { transport, url async throws in
            #expect(try await transport.get(url) == Data("abc".utf8))
        }
    }

    @Test(
        "A truncated body with an announced length fails, also with CloseDelimitedLoader",
        arguments: Subject.withAuthorities,
        [
            "content-length: 501\r\n\r\n", "transfer-encoding: chunked\r\n\r\n1f4\r\n",
            "transfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n1f4\r\n",
        ])
    func cutOff(subject: Subject, rest: String) async throws {
        let answer = "HTTP/1.1 200 OK\r\n" + rest + String(repeating: "z", count: 500)
        try await with(subject, answer) { transport, url async throws in
            await expectFailure(.connectionLost) {
                try await load(url, by: CloseDelimitedLoader(NetworkLoader(transport)))
            }
        }
    }

    @Test("Closing a connection does not wait for the close_notify of the peer")
    func promptClose() throws {
        let certificate = try OriginCertificate()
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(certificate.authorityPEM.utf8)))
        let tls = try NIOSSLClientHandler(context: NIOSSLContext(configuration: settings), serverHostname: "localhost")
        let (client, server) = (EmbeddedChannel(), EmbeddedChannel())
        try client.pipeline.syncOperations.addHandlers([tls, ImmediateCloseHandler()])
        try server.pipeline.syncOperations.addHandler(
            NIOSSLServerHandler(context: NIOSSLContext(configuration: certificate.configuration)))
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        try client.connect(to: address).wait()
        try server.connect(to: address).wait()
        var isMoving = true
        while isMoving {
            isMoving = false
            while let bytes = try client.readOutbound(as: ByteBuffer.self) {
                try server.writeInbound(bytes)
                isMoving = true
            }
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                try client.writeInbound(bytes)
                isMoving = true
            }
        }
        #expect(tls.peerCertificate != nil)
        client.close(promise: nil)
        client.embeddedEventLoop.run()
        #expect(!client.isActive)
        // The alert was sent before the close.
        let alert = try client.readOutbound(as: ByteBuffer.self)
        #expect(alert != nil)
    }
}
