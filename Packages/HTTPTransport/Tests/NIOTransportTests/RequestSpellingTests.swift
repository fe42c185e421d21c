// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import NIOCore
import NIOSSL
import ResourceLoading
import Testing

@testable import ContainerTesting
@testable import HTTPTransport
@testable import NIOTransport

@Suite("Spelling of requests", .timeLimit(.minutes(3)))
struct RequestSpellingTests {
    /// The bytes that the URL parser leaves unescaped in the path and in the query (URL Standard, section 1.3).
    static let engineTarget =
        "/!$%&'()*+,-.0:;=@A[]_a|~/%zz?!$%&()*+,-./0:;=?@A[\\]^_`a{|}~%zz"

    static let targets = [
        engineTarget, "/api/[id]/x|y?filter[a]=1&ids[]=2&f=A|B&sig=a^b&p=100%", "/a%2Fb/%E2%82%AC?c=%20|&d=%25&e",
        "/a//b/../c?../d", "//a.example/b", "/?", "/",
    ]

    /// Sends a request to a server that reads HTTP/1.1, and returns the lines of the request head that arrive.
    /// - Parameter overTLS: `true` if the server offers TLS with HTTP/2 and HTTP/1.1.
    private func received(_ request: HTTPRequest, overTLS: Bool = false) async throws -> [String] {
        let head = Mutex("")
        let certificate = try OriginCertificate()
        var tls = certificate.configuration
        tls.applicationProtocols = ["h2", "http/1.1"]
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [try CertificateAuthority(pem: certificate.authorityPEM)]
        try await RawServer.with(tls: overTLS ? tls : nil) { input, output in
            var text = ""
            while !text.hasSuffix("\r\n\r\n"), let bytes = try await input.next() { text += String(buffer: bytes) }
            head.withLock { [text] in $0 = text }
            try await output.write(ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n"))
        } _: { [configuration] server async throws in
            var request = request
            request.scheme = server.isSecure ? "https" : "http"
            request.authority = "127.0.0.1:\(server.port)"
            try await withTransport(configuration) { [request] transport async throws in
                _ = try await transport.send(request, body: .empty)
            }
        }
        return head.withLock { $0 }.components(separatedBy: "\r\n")
    }

    private func request(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: nil, authority: nil, path: path, headerFields: fields)
    }

    @Test("An empty body is announced, and a missing one for POST and PUT only", arguments: [false, true])
    func emptyBody(isMissing: Bool) async throws {
        for method in ["POST", "PUT", "PATCH", "OPTIONS", "DELETE", "Chicken"] {
            var request = request("/", isMissing ? [:] : [.contentLength: "0"])
            request.method = try #require(HTTPRequest.Method(method))
            let lines = try await received(request)
            let lengths = lines.filter { $0.lowercased().hasPrefix("content-length:") }.map { $0.suffix(3) }
            #expect(lengths == (isMissing && !["POST", "PUT"].contains(method) ? [] : [": 0"]))
            #expect(lines.first == "\(method) / HTTP/1.1")
        }
    }

    @Test("The target is sent with its spelling over HTTP/1.1", arguments: targets)
    func unchanged(target: String) async throws {
        let lines = try await received(request(target))
        #expect(lines.first == "GET \(target) HTTP/1.1")
        #expect(!lines.contains { $0.lowercased().hasPrefix(RequestSpellingHandler.target) })
    }

    @Test("The target is sent with its spelling over HTTP/2", arguments: targets)
    func shared(target: String) async throws {
        var settings = OriginServer.Configuration(routes: [try route(.get, "/*") { _ in .text("") }])
        settings.usesTLS = true
        settings.offersHTTP2 = true
        let server = try await OriginServer.start(settings)
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [try CertificateAuthority(pem: try #require(server.authorityPEM))]
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name(RequestSpellingHandler.target))] = "/other"
        try await withTransport(configuration) { [fields] transport async throws in
            _ = try await transport.send(server.url + target, .get, fields)
        }
        await server.stop()
        let seen = try #require(server.requests.first)
        #expect(seen.path + (seen.query.map { "?\($0)" } ?? "") == target)
        #expect(seen.headers[try #require(HTTPField.Name(RequestSpellingHandler.target))] == "/other")
    }

    @Test("A field of the request cannot replace the target")
    func forged() async throws {
        let name = try #require(HTTPField.Name(RequestSpellingHandler.target))
        var fields: HTTPFields = [name: "/forged", .accept: "a/b"]
        fields.append(HTTPField(name: name, value: "/forged/too"))
        let lines = try await received(request("/target", fields))
        #expect(lines.first == "GET /target HTTP/1.1")
        #expect(lines.filter { $0.hasPrefix(RequestSpellingHandler.target) }.count == 2)
        #expect(lines.contains { $0.lowercased() == "accept: a/b" })
    }

    @Test("Control characters in field values are sent, and a field of the request cannot add another field")
    func controlCharacters() async throws {
        var fields = HTTPFields()
        for value in ["a\u{B}b", "\u{1}", "x\u{7F}\u{E9}", "a\tb", "100%25"] {
            fields.append(HTTPField(name: try #require(HTTPField.Name("X-V")), lenientValue: value.utf8))
        }
        fields[try #require(HTTPField.Name(RequestSpellingHandler.field))] = "cookie a%3Db"
        let lines = try await received(request("/", fields))
        #expect(
            Set(lines.filter { $0.hasPrefix("X-V: ") })
                == ["X-V: a\u{B}b", "X-V: \u{1}", "X-V: x\u{7F}\u{E9}", "X-V: a\tb", "X-V: 100%25"])
        #expect(lines.contains("\(RequestSpellingHandler.field): cookie a%3Db"))
        #expect(!lines.contains { $0.lowercased().hasPrefix("cookie:") })
    }

    @Test(
        "Bytes that cannot be in a request line are escaped, and a fragment is not sent",
        arguments: [
            ("/a b", "/a%20b"), ("/é?ü", "/%C3%A9?%C3%BC"), ("/a#b", "/a"), ("/a?b#c\u{301}", "/a?b"),
            ("/a\tb", "/a%09b"),
        ])
    func escaped(path: String, target: String) async throws {
        #expect(try await received(request(path)).first == "GET \(target) HTTP/1.1")
    }

    @Test("A target of 150 KB is sent, over HTTP/1.1 if the server offers HTTP/2", arguments: [false, true])
    func long(overTLS: Bool) async throws {
        let target = "/?" + String(repeating: "a[]|", count: 150 << 8)
        #expect(try await received(request(target), overTLS: overTLS).first == "GET \(target) HTTP/1.1")
    }
}
