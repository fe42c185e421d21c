// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Synchronization
import Testing

@Suite("Redirects")
struct RedirectFollowerTests {
    /// Answers from a table and notes what it was asked.
    private final class Site: ResourceLoading {
        let asked = Mutex<[HTTPRequest]>([])
        private let answers: [String: (Int, String)]

        init(_ answers: [String: (Int, String)]) {
            self.answers = answers
        }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            asked.withLock { $0.append(request.head) }
            let (status, location) = answers[request.head.urlText] ?? (200, "")
            let fields: HTTPFields = location.isEmpty ? [:] : [.location: location]
            return ResourceResponse(
                head: HTTPResponse(status: .init(code: status), headerFields: fields), body: .empty,
                provenance: Provenance(.network, reason: "test"))
        }
    }

    private func request(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:],
        destination: ResourceRequest.Destination = .subresource
    ) throws -> ResourceRequest {
        ResourceRequest(
            try #require(HTTPRequest(method: method, urlText: url, headerFields: fields)),
            body: method == .get ? .empty : .bytes(Data("x".utf8)), destination: destination)
    }

    @Test(
        "The method after a redirect",
        arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (302, "POST", "GET"), (302, "HEAD", "HEAD"),
            (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (307, "POST", "POST"),
            (308, "PUT", "PUT"),
        ])
    func methods(status: Int, before: String, after: String) async throws {
        let site = Site(["https://a.example/1": (status, "2")])
        let method = try #require(HTTPRequest.Method(before))
        _ = try await RedirectFollower(site, names: .standard).load(
            request("https://a.example/1", method, [.contentType: "text/plain"]))
        let hops = site.asked.withLock { $0 }
        #expect(hops.map(\.urlText) == ["https://a.example/1", "https://a.example/2"])
        #expect(hops.last?.method.rawValue == after)
        #expect((hops.last?.headerFields[.contentType] == nil) == (before != after))
    }

    @Test("Credentials of one origin do not go to another")
    func credentials() async throws {
        let site = Site(["https://a.example/": (302, "https://b.example/"), "https://b.example/": (302, "/next")])
        _ = try await RedirectFollower(site, names: .standard).load(
            request("https://a.example/", .get, [.authorization: "Basic eA=="]))
        let hops = site.asked.withLock { $0 }
        #expect(hops.map { $0.headerFields[.authorization] != nil } == [true, false, false])
    }

    @Test("A loop ends after twenty hops, and a target that is not http is refused")
    func limits() async throws {
        let loop = Site(["https://a.example/": (302, "/")])
        await #expect {
            try await RedirectFollower(loop, names: .standard).load(request("https://a.example/"))
        } throws: {
            ($0 as? ResourceError)?.code == .tooManyRedirects
        }
        #expect(loop.asked.withLock { $0.count } == 21)
        let file = Site(["https://a.example/": (302, "file:///etc/passwd")])
        await #expect {
            try await RedirectFollower(file, names: .standard).load(request("https://a.example/"))
        } throws: {
            ($0 as? ResourceError)?.code == .invalidRequest
        }
    }

    @Test("A document moves by a page that replaces itself, with a name that cannot break out of its script")
    func document() async throws {
        let site = Site(["https://a.example/": (301, "https://a.example/</script><script>alert(1)//")])
        let response = try #require(
            try await RedirectFollower(site, names: .standard).load(
                request("https://a.example/", destination: .document)))
        let page = String(decoding: try await response.body.collect(upTo: 10_000), as: UTF8.self)
        #expect(response.provenance.source == .synthetic)
        #expect(page.contains("location.replace(\"containerkit:"))
        #expect(page.components(separatedBy: "</script>").count == 2, "\(page)")
    }
}
