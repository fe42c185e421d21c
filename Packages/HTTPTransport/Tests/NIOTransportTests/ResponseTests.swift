// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
import ResourceLoading
import Testing

@Suite("Responses from the network", .timeLimit(.minutes(3)))
struct ResponseTests {
    @Test("The response has the head and body that were sent, with repeated fields separate")
    func fields() async throws {
        let route = try route(.get, "/") { _ in
            var fields: HTTPFields = [.contentType: "text/plain", .eTag: "\"1\""]
            for cookie in ["a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT", "b=2, 3", "a=1"] {
                fields.append(HTTPField(name: .setCookie, value: cookie))
            }
            return OriginResponse(
                .init(code: 203, reasonPhrase: "Other"), headers: fields, body: .bytes(Data("abc".utf8)))
        }
        try await withOrigin([route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.status.code == 203)
            #expect(response.head.headerFields[.contentType] == "text/plain")
            #expect(response.head.headerFields[.eTag] == "\"1\"")
            #expect(
                response.head.headerFields[values: .setCookie] == [
                    "a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT", "b=2, 3", "a=1",
                ])
            #expect(response.body.length == 3)
            #expect(try await response.body.collect(upTo: 3) == Data("abc".utf8))
            // Connection-specific fields are not returned.
            for name in ["connection", "keep-alive", "transfer-encoding"] {
                #expect(HTTPField.Name(name).flatMap { response.head.headerFields[$0] } == nil)
            }
        }
    }

    @Test("A request is sent unchanged, except for connection-specific fields")
    func request() async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, transport async throws in
            var fields: HTTPFields = [.accept: "a/b", .referer: "https://shop.example/", .acceptEncoding: "br"]
            fields.append(HTTPField(name: .accept, value: "c/d"))
            fields[.connection] = "close, x-hop"
            fields[.transferEncoding] = "chunked"
            fields[try #require(HTTPField.Name("x-hop"))] = "1"
            fields[.te] = "trailers"
            _ = try await transport.send(origin.url + "/a%2Fb/%E2%82%AC?c=%20&d=%25&e", .get, fields)
            let seen = try #require(origin.requests.first)
            #expect(seen.path == "/a%2Fb/%E2%82%AC" && seen.query == "c=%20&d=%25&e")
            #expect(seen.headers[values: .accept] == ["a/b", "c/d"])
            #expect(seen.headers[.referer] == "https://shop.example/")
            #expect(seen.headers[.acceptEncoding] == "br")
            #expect(seen.headers[.transferEncoding] == nil && seen.headers[.te] == nil)
            #expect(seen.headers[try #require(HTTPField.Name("x-hop"))] == nil)
            #expect(seen.headers[.connection]?.contains("x-hop") != true)
        }
    }

    @Test(
        "Characters that engines leave unencoded stay unencoded",
        arguments: [
            "/a|b?c|d", "/%20|?%25|", "/?a[]=1&b=%20", "/a//b/../c?../d", "/?%zz", "/'(a)*~!$&+,;=:@",
        ])
    func spelling(path: String) async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, transport async throws in
            _ = try await transport.send(origin.url + path)
            let seen = try #require(origin.requests.first)
            let target = seen.path + (seen.query.map { "?\($0)" } ?? "")
            #expect(target == path)
        }
    }

    @Test("Responses without a body", arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304)])
    func bodiless(method: HTTPRequest.Method, status: Int) async throws {
        let route = try route(.get, "/") { _ in
            OriginResponse(
                .init(code: status), headers: [.eTag: "\"1\""],
                body: .bytes(status == 200 ? Data("four".utf8) : Data()))
        }
        try await withOrigin([route]) { origin, transport async throws in
            // A second request checks that the connection is still usable.
            for _ in 0..<2 {
                let response = try await transport.send(origin.url + "/", method)
                #expect(response.head.status.code == status)
                #expect(response.head.headerFields[.eTag] == "\"1\"")
                guard case .empty = response.body else {
                    Issue.record("a body")
                    return
                }
                if method == .head { #expect(response.head.headerFields[.contentLength] == "4") }
            }
            #expect(origin.connectionCount == 1)
        }
    }

    @Test("A large body arrives complete and in order, with or without an announced length", arguments: [true, false])
    func large(announced: Bool) async throws {
        let size = 1 << 20
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let route = try route(.get, "/") { _ in
            OriginResponse(
                body: .stream(length: announced ? size : nil) { writer in
                    for start in stride(from: 0, to: size, by: 10_007) {
                        try await writer.write(content[start..<min(start + 10_007, size)])
                    }
                })
        }
        try await withOrigin([route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.body.length == (announced ? Int64(size) : nil))
            #expect(try await response.body.collect(upTo: size) == content)
        }
    }

    @Test("Redirects are returned and not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let route = try route(.get, "/*") { _ in
            OriginResponse(.init(code: status), headers: [.location: "/next"])
        }
        try await withOrigin([route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.status.code == status && response.head.headerFields[.location] == "/next")
            #expect(origin.requestCount == 1)
        }
    }

    @Test("Server errors are responses", arguments: [400, 404, 500, 503, 599])
    func errors(status: Int) async throws {
        try await withOrigin(faults: "status=\(status):/*") { origin, transport async throws in
            #expect(try await transport.send(origin.url + "/").head.status.code == status)
        }
    }

    @Test("The network loader sets the provenance of its responses and never returns nil")
    func loader() async throws {
        try await withOrigin([try route(.post, "/*") { .text("\($0.body.count)") }]) { origin, transport async throws in
            let request = try #require(HTTPRequest(method: .post, urlText: origin.url + "/"))
            let loader: NetworkLoader = .network(transport)
            let response = try #require(
                try await loader.load(ResourceRequest(request, body: .bytes(Data("abc".utf8)))))
            #expect(response.provenance.source == .network)
            #expect(try await response.body.collect(upTo: 10) == Data("3".utf8))
            let missing = try #require(HTTPRequest(urlText: origin.url + "/none"))
            #expect(try await loader.load(ResourceRequest(missing))?.head.status == .notFound)
        }
    }
}
