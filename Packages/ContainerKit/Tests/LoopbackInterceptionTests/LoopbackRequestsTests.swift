// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import HTTPTypes
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackInterception

@Suite("Requests over loopback", .timeLimit(.minutes(1)))
struct LoopbackRequestsTests {
    private let pages = PageAttributor()
    private let observer = RecordedRequests()
    private let document = "https://a.example/"

    private func requests(_ pipeline: FakePipeline, _ bodies: FakeBodies? = nil) -> LoopbackRequests {
        LoopbackRequests(pipeline: pipeline, pages: pages, bodies: [bodies].compactMap(\.self), observer: observer)
    }

    private func request(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) throws -> ResourceRequest {
        ResourceRequest(try #require(HTTPRequest(method: method, urlText: url, headerFields: fields)))
    }

    private func record(_ id: UInt64, at url: String) {
        pages.record(PageReference(id: PageID(rawValue: id), documentURL: url))
    }

    private func documentRequest(_ method: HTTPRequest.Method = .get) throws -> ResourceRequest {
        let destination = try #require(HTTPField.Name("Sec-Fetch-Dest"))
        return try request(document, method, [destination: "document"])
    }

    private func completed(_ request: ResourceRequest, by requests: LoopbackRequests) -> ResourceRequest {
        var request = request
        requests.complete(&request)
        return request
    }

    @Test("A port that is the default of neither protocol may be opened for both")
    func targets() {
        let requests = requests(
            FakePipeline(hosts: ["https://a.example", "http://b.example", "http://c.example:8080"]))
        #expect(requests.opens(HostPort(host: "a.example", port: 443)))
        #expect(!requests.opens(HostPort(host: "a.example", port: 80)))
        #expect(requests.opens(HostPort(host: "b.example", port: 80)))
        #expect(!requests.opens(HostPort(host: "b.example", port: 443)))
        #expect(requests.opens(HostPort(host: "c.example", port: 8_080)))
    }

    @Test("A marked request has come back if this process sent it, and not if the engine did")
    func returned() async throws {
        let outgoing = OutgoingRequests()
        var requests = requests(FakePipeline())
        requests.outgoing = outgoing
        let request = try request("https://a.example/x")
        #expect(!requests.hasReturned(request) { true })
        await outgoing.marking(request.head) { [requests] in
            #expect(!requests.hasReturned(request) { false } && outgoing.returned == 0)
            #expect(requests.hasReturned(request) { true } && outgoing.returned == 1)
        }
        #expect(!requests.hasReturned(request) { true })
    }

    @Test("A WebSocket that a rule blocks is refused")
    func blockedWebSocket() throws {
        let requests = requests(FakePipeline())
        #expect(try !requests.permitsWebSocket(request("https://a.example/blocked")))
        #expect(try requests.permitsWebSocket(request("https://a.example/chat")))
    }

    @Test("The observer receives the requests, responses and failures of documents")
    func documents() async throws {
        let pipeline = FakePipeline()
        let requests = requests(pipeline)
        record(1, at: document)
        let request = completed(try documentRequest(), by: requests)
        #expect(request.destination == .document && request.page?.page.id == PageID(rawValue: 1))
        _ = try await requests.load(request)
        let picture = completed(try self.request(document + "x.png"), by: requests)
        _ = try await requests.load(picture)
        #expect(observer.calls == ["requested \(document)", "answered \(document)"])
        pipeline.state.withLock { $0.error = ResourceError(.tls, "refused") }
        await #expect(throws: ResourceError.self) { try await requests.load(request) }
        await #expect(throws: ResourceError.self) { try await requests.load(picture) }
        #expect(observer.calls.last == "failed \(document) tls" && observer.calls.count == 3)
        #expect(!pages.isBusy(PageID(rawValue: 1)))
    }

    @Test("A document request with a body is reported before its response, an empty response when it arrives")
    func reports() async throws {
        let pipeline = FakePipeline()
        pipeline.state.withLock { $0.status = .noContent }
        let requests = requests(pipeline)
        record(1, at: document)
        let request = completed(try documentRequest(.post), by: requests)
        _ = try await requests.load(request)
        #expect(
            observer.calls == [
                "requested \(document)", "body true empty false", "answered \(document)", "body true empty true",
            ])
        let report = LoopbackDocumentReport(of: request)
        #expect(report.page == PageID(rawValue: 1) && report.isOf("HTTPS://A.example/other?x"))
        #expect(!report.isOf("https://a.example:8443/") && !report.isOf("about:blank"))
    }

    @Test("The origin of a document report is compared by bytes, and only ASCII letters have a case")
    func reportedOrigins() throws {
        let report = LoopbackDocumentReport(of: try request("https://k.example/"))
        #expect(report.isOf("https://K.example:443/x") && report.isOf("https://k.example?x"))
        // A slash and a combining mark are one character.
        #expect(report.isOf("https://k.example/\u{301}"))
        #expect(!report.isOf("https://\u{212A}.example/"))
        let composed = LoopbackDocumentReport(of: try request("https://\u{E9}.example/"))
        #expect(composed.isOf("https://\u{E9}.example/x") && !composed.isOf("https://e\u{301}.example/"))
    }

    @Test("Askers are determined only if the pipeline distinguishes them, and never for documents")
    func askers() async throws {
        for distinguishes in [false, true] {
            let pipeline = FakePipeline(distinguishesRequesters: distinguishes)
            let requests = requests(pipeline)
            record(1, at: document)
            let picture = completed(try request("https://cdn.example/x.png", .get, [.referer: document]), by: requests)
            _ = requests.immediateResponse(to: picture)
            _ = try await requests.load(picture)
            _ = try await requests.load(completed(try documentRequest(), by: requests))
            let expected = distinguishes ? [document] : nil
            #expect(pipeline.requesters == [expected, expected, nil])
        }
    }

    @Test("A request with a bridged body waits for the body, and fails without it")
    func bodies() async throws {
        let pipeline = FakePipeline()
        let requests = requests(pipeline, FakeBodies())
        let field = try #require(FakeBodies.field)
        let carrying = try request("https://a.example/api", .post, [field: "1"])
        guard case .later = requests.immediateResponse(to: carrying) else {
            Issue.record("sent without the body")
            return
        }
        _ = try await requests.load(carrying)
        #expect(pipeline.requests.map { $0.headerFields[field] } == [nil])
        await #expect(throws: ResourceError.self) {
            try await requests.load(try request("https://a.example/api", .post, [field: "none"]))
        }
        #expect(pipeline.requests.count == 1)
        guard case .known = requests.immediateResponse(to: try request("https://a.example/x")) else {
            Issue.record("no response")
            return
        }
    }

    @Test(
        "A stand-in for a body does not leave the interception by a redirect that repeats it",
        arguments: [
            (307, "https://b.example/", false), (308, "//b.example/x", false), (307, "https://a.example:8443/", false),
            (307, "/x", true), (308, "https://a.example/x", true), (303, "https://b.example/", true),
            (302, "https://b.example/", true), (200, "https://b.example/", true), (307, "about:blank", true),
        ])
    func redirects(status: Int, target: String, isAllowed: Bool) async throws {
        let field = try #require(FakeBodies.field)
        let pipeline = FakePipeline(hosts: ["https://a.example"])
        pipeline.state.withLock {
            $0.status = HTTPResponse.Status(code: status)
            $0.fields[.location] = target
        }
        let requests = requests(pipeline, FakeBodies())
        let carrying = try request(document, .post, [field: "stand-in"])
        if isAllowed {
            #expect(try await requests.load(carrying)?.head.status.code == status)
        } else {
            let error = await #expect(throws: ResourceError.self) { try await requests.load(carrying) }
            #expect(error?.code == .invalidRequest)
        }
        // Other bodies are the engine's own, and go where the engine sends them.
        #expect(try await requests.load(try request(document, .post, [field: "1"]))?.head.status.code == status)
        #expect(try await requests.load(try request(document, .post))?.head.status.code == status)
    }
}
