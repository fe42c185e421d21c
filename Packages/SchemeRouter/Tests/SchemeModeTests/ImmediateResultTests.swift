// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

/// Immediate responses, and responses that `load` must follow, check or rewrite.
@Suite("Immediate responses in custom-scheme mode", .timeLimit(.minutes(1)))
struct ImmediateResultTests {
    private struct Ready: ResourceLoader {
        let answer: ImmediateResult
        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            if case .known(let response) = answer { response } else { nil }
        }
        func immediateResponse(to request: ResourceRequest) -> ImmediateResult { answer }
    }

    private static let url = "https://shop.example/a"

    private func response(_ status: Int, _ fields: HTTPFields, isInterim: Bool = false) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), body: .bytes(Data("x".utf8)),
            provenance: Provenance(.package, reason: "test"), isInterim: isInterim)
    }

    private func request(
        _ url: String = Self.url, _ fields: HTTPFields = [:], as destination: ResourceRequest.Destination = .subresource
    ) throws -> ResourceRequest {
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://shop.example/")
        return ResourceRequest(
            try #require(HTTPRequest(urlText: url, headerFields: fields)), destination: destination,
            page: PageAttribution(page, confidence: .exact))
    }

    /// Returns the status, 0 for `nil`, or `nil` for `later`. An immediate response must equal the response of `load`.
    private func status(_ loader: some ResourceLoader, _ request: ResourceRequest) async throws -> Int? {
        guard case .known(let response) = loader.immediateResponse(to: request) else { return nil }
        let loaded = try await loader.load(request)
        #expect(response?.head == loaded?.head && response?.provenance == loaded?.provenance)
        #expect(try await response?.body.collect(upTo: 10) == loaded?.body.collect(upTo: 10))
        return response?.head.status.code ?? 0
    }

    @Test(
        "Redirects are not immediate; other responses are immediate",
        arguments: [(200, 200), (404, 404), (304, 304), (301, nil), (302, nil), (303, nil), (307, nil), (308, nil)])
    func redirects(code: Int, expected: Int?) async throws {
        let base = Ready(answer: .known(response(code, [.location: "/b"])))
        let follower = RedirectFollower(base, names: .standard)
        #expect(try await status(follower, request()) == expected)
        // Redirects of documents change the URL.
        for destination in [ResourceRequest.Destination.document, .nestedDocument, .unknown] {
            #expect(try await status(follower, request(as: destination)) == nil)
        }
        #expect(try await status(RedirectFollower(Ready(answer: .known(nil)), names: .standard), request()) == 0)
        #expect(try await status(RedirectFollower(Ready(answer: .later), names: .standard), request()) == nil)
    }

    @Test("A permission has the custom-scheme origin")
    func permission() throws {
        let base = Ready(answer: .known(response(200, [.accessControlAllowOrigin: "https://shop.example"])))
        var request = try request("https://cdn.example/a", [.origin: "https://shop.example"])
        request.mode = .cors
        guard case .known(let answer) = RedirectFollower(base, names: .standard).immediateResponse(to: request) else {
            Issue.record("later")
            return
        }
        #expect(answer?.head.headerFields[.accessControlAllowOrigin] == "containerkit://shop.example")
    }

    @Test(
        "Responses that are rewritten by type or fields are not immediate",
        arguments: [
            ("text/plain", [:], true), ("image/png", [:], true), ("text/html", [:], false), ("text/css", [:], false),
            ("image/png", [.contentSecurityPolicy: "default-src https://shop.example"], false),
            ("text/html", [.contentDisposition: "attachment"], true),
        ] as [(String, HTTPFields, Bool)])
    func rewriting(type: String, fields: HTTPFields, isImmediate: Bool) async throws {
        var fields = fields
        fields[.contentType] = type
        let loader = RewritingLoader(Ready(answer: .known(response(200, fields))), names: .standard) { _, _ in true }
        #expect(try await status(loader, request()) == (isImmediate ? 200 : nil))
        // Most requests with this `Accept` value are for style sheets.
        #expect(try await status(loader, request(Self.url, [.accept: "text/css,*/*;q=0.1"])) == nil)
        // A range of a rewritten type gets the complete body, and the type is not known in advance.
        #expect(try await status(loader, request(Self.url, [.range: "bytes=0-1"])) == nil)
        #expect(try await status(loader, request(as: .document)) == nil)
        let silent = RewritingLoader(Ready(answer: .later), names: .standard) { _, _ in true }
        #expect(try await status(silent, request()) == nil)
    }

    @Test("A response with an integrity requirement is not immediate")
    func integrity() async throws {
        let completion = RequestCompletion(.standard)
        let page = Files([
            "https://shop.example/": .init(
                type: "text/html", text: "<link rel=stylesheet href=https://shop.example/a integrity=sha256-AAAA>")
        ])
        let document = RewritingLoader(page, names: .standard, hashing: SumHashing(), completion: completion) {
            _, _ in true
        }
        let found = try await document.load(request("https://shop.example/", as: .document))
        _ = try await found?.body.collect(upTo: 1 << 10)
        let base = Ready(answer: .known(response(200, [.contentType: "text/plain"])))
        let loader = RewritingLoader(base, names: .standard, hashing: SumHashing(), completion: completion) {
            _, _ in true
        }
        #expect(try await status(loader, request()) == nil)
        #expect(try await status(loader, request("https://shop.example/b")) == 200)
    }
}
