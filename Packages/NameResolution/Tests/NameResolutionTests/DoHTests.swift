// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Testing
import WebSyntax

@testable import NameResolution

/// The HTTP messages of DNS over HTTPS (RFC 8484).
@Suite(.timeLimit(.minutes(1)))
struct DoHTests {
    private let server: ResolverServer
    private let question: DNSQuestion
    private let body = TestMessage("host.example", answers: [.a("host.example", "192.0.2.1", timeToLive: 100)]).bytes

    init() throws {
        server = try ResolverServer(url: "https://dns.example/dns-query{?dns}")
        question = DNSQuestion(name: try DomainName(host: "host.example"), type: .a)
    }

    @Test("The URL of a server is https, with a path and without a query")
    func servers() throws {
        for (text, url) in [
            ("https://dns.example/dns-query", "https://dns.example/dns-query"),
            ("HTTPS://DNS.example:443/q{?dns}", "https://dns.example/q"),
            ("https://dns.example", "https://dns.example/"),
            ("https://dns.example:8443/", "https://dns.example:8443/"),
            ("https://[2001:DB8::1]/q", "https://[2001:db8::1]/q"),
        ] {
            #expect(try ResolverServer(url: text).url == url, "\(text)")
        }
        for text in [
            "", "http://dns.example/", "https://", "https:///q", "https://user@dns.example/",
            "https://dns.example/?a=b",
            "https://dns.example/#f", "https://dns.example/{x}", "https://dns.example:0/", "https://dns.example/ ",
            "https://dns.example?x", "dns.example", "https:/\u{301}/dns.example",
        ] {
            let error = #expect(throws: NameResolutionError.self, "\(text)") { try ResolverServer(url: text) }
            #expect(error?.code == .invalidServer)
        }
    }

    @Test("A server with an address as its host needs no other addresses")
    func addresses() throws {
        #expect(try ResolverServer(url: "https://192.0.2.1/").addresses == IPAddress.list("192.0.2.1"))
        #expect(try ResolverServer(url: "https://[2001:db8::1]/").addresses == IPAddress.list("2001:db8::1"))
        let addresses = ["192.0.2.1", "2001:db8::1"]
        let server = try ResolverServer(url: "https://dns.example/", addresses: addresses)
        #expect(server.addresses.map(\.description) == addresses)
        for invalid in [["dns.example"], ["192.0.2.1", ""], [String](repeating: "192.0.2.1", count: 17)] {
            let error = #expect(throws: NameResolutionError.self) {
                try ResolverServer(url: "https://dns.example/", addresses: invalid)
            }
            #expect(error?.code == .invalidServer)
        }
    }

    @Test("A GET request has the query in its URL, without padding")
    func get() throws {
        let request = DoHRequest(question, to: server, method: .get)
        #expect(request.head.method == .get && request.body == nil)
        #expect(request.head.scheme == "https" && request.head.authority == "dns.example")
        #expect(request.head.headerFields == [.accept: "application/dns-message"])
        let path = try #require(request.head.path)
        #expect(path.hasPrefix("/dns-query?dns=AAABAAABAAAAAAABBGhvc3QHZXhhbXBsZQAAAQAB"))
        #expect(!path.hasSuffix("="))
    }

    @Test("A POST request has the query in its body")
    func post() {
        let request = DoHRequest(question, to: server, method: .post)
        #expect(request.head.method == .post && request.head.path == "/dns-query")
        #expect(request.body == QueryMessage.encode(question))
        #expect(request.head.headerFields[.contentType] == "application/dns-message")
        #expect(request.head.headerFields[.contentLength] == "128")
    }

    /// RFC 4648, section 10, and the characters that differ from base64.
    @Test(
        "Bytes are written as base64url",
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0xFB, 0xFF, 0xBF], "-_-_"),
        ] as [([UInt8], String)])
    func base64URL(bytes: [UInt8], text: String) {
        #expect(DoHRequest.base64URL(bytes) == text)
    }

    private func response(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]) -> HTTPResponse {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = "application/dns-message" }
        return HTTPResponse(status: status, headerFields: fields)
    }

    @Test("A response has status 2xx, the media type of DNS and no content coding")
    func responses() throws {
        let answer = try DoHResponse(response(), body: body, to: question)
        #expect(answer.answer.addresses == IPAddress.list("192.0.2.1") && answer.lifetime == 100)
        let valid: [HTTPFields] = [
            [.contentType: "Application/DNS-Message; x=y"], [.contentEncoding: "Identity"],
        ]
        for fields in valid {
            #expect(throws: Never.self) { try DoHResponse(response(.ok, fields), body: body, to: question) }
        }
        let invalid: [(HTTPResponse.Status, HTTPFields)] = [
            (.notFound, [:]), (.found, [:]), (.notModified, [:]), (.internalServerError, [:]),
            (.ok, [.contentType: "application/dns-json"]), (.ok, [.contentType: "text/html"]),
            (.ok, [.contentEncoding: "gzip"]),
        ]
        for (status, fields) in invalid {
            let error = #expect(throws: NameResolutionError.self, "\(status) \(fields)") {
                try DoHResponse(response(status, fields), body: body, to: question)
            }
            #expect(error?.code == .badResponse)
        }
        var noType = response()
        noType.headerFields[.contentType] = nil
        #expect(throws: NameResolutionError.self) { try DoHResponse(noType, body: body, to: question) }
        #expect(throws: NameResolutionError.self) { try DoHResponse(response(), body: [], to: question) }
    }

    @Test("The lifetime is the time to live without the age of the response")
    func lifetimes() {
        let cases: [(HTTPFields, UInt32?)] = [
            ([:], 100), ([.age: "30"], 70), ([.age: "100"], 0), ([.age: "101"], 0), ([.age: "99999999999999999999"], 0),
            ([.age: "-1"], 100), ([.age: "x"], 100), ([.age: "30, 50"], 70),
            ([.cacheControl: "max-age=60"], 60), ([.cacheControl: "max-age=600"], 100),
            ([.cacheControl: "MAX-AGE=60", .age: "20"], 40), ([.cacheControl: "max-age=x"], 0),
            ([.cacheControl: "private, max-age=60, max-age=10"], 60), ([.cacheControl: "max-age=60, No-Store"], nil),
            ([.cacheControl: "public"], 100),
        ]
        for (fields, lifetime) in cases {
            #expect(DoHResponse.lifetime(100, fields) == lifetime, "\(fields)")
        }
        #expect(DoHResponse.lifetime(nil, [:]) == nil)
    }
}
