// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

@testable import DocumentInterception

@Suite("HeldResourceHandler", .timeLimit(.minutes(1)))
@MainActor
struct HeldResourceHandlerTests {
    private let engine = FakeEngine()
    private let view: FakeView
    private let pipeline: FakePipeline
    private let host: FakeHost

    init() throws {
        view = try engine.makeView()
        pipeline = FakePipeline([
            "https://shop.example/a.css": .init("a{background:url(b.png)}c{background:url(held.png)}", "text/css"),
            "https://shop.example/held.js": .init("1", "text/javascript", from: .package),
            "https://shop.example/data": .init("2", "text/plain"),
            "https://shop.example/moved": .init("", "text/plain", status: .found, [.location: "https://cdn.example/x"]),
            "https://shop.example/unsafe": .init("", "text/plain", status: .found, [.location: "http://shop.example/"]),
            "https://cdn.example/x": .init("3", "text/plain"),
        ])
        let host = FakeHost(view)
        let handler = HeldResourceHandler(names: .standard, pipeline: pipeline, host: host)
        self.host = host
        try engine.register(CustomScheme(name: "containerkit", isSecure: true)) { request, sink in
            handler.answer(request, of: host.page, to: sink)
        }
    }

    private func answer(_ path: String, from origin: String? = "https://shop.example") async -> FakeSink {
        var fields = HTTPFields()
        fields[.origin] = origin
        return await engine.request("containerkit://shop.example\(path)", .get, fields, from: view)
    }

    @Test("in a style sheet, URLs that are not held become real URLs")
    func styleSheet() async throws {
        let sink = await answer("/a.css")
        #expect(sink.text == "a{background:url(https://shop.example/b.png)}c{background:url(held.png)}")
        #expect(sink.fields[.contentLength] == "\(sink.text.utf8.count)")
    }

    @Test("a document of the real origin may read a response, others only files of packages")
    func permission() async throws {
        let own = await answer("/data")
        #expect(own.fields[.accessControlAllowOrigin] == "https://shop.example")
        #expect(own.fields[.accessControlAllowCredentials] == "true")
        #expect(host.records.last?.record.url == "https://shop.example/data")
        #expect(host.records.last?.page == host.page.id)
        let foreign = await answer("/data", from: "https://evil.example")
        #expect(foreign.fields[.accessControlAllowOrigin] == nil)
        let packaged = await answer("/held.js", from: "https://other.example")
        #expect(packaged.fields[.accessControlAllowOrigin] == "https://other.example")
        #expect(packaged.fields[.accessControlAllowCredentials] == "true")
        #expect(await answer("/data", from: nil).fields[.accessControlAllowOrigin] == nil)
    }

    @Test(
        "only requests of documents of the real origin carry credentials",
        arguments: [
            ("https://shop.example", ResourceRequest.Credentials.sameOrigin), ("https://evil.example", .omit),
            (nil, .omit),
        ] as [(String?, ResourceRequest.Credentials)])
    func credentials(origin: String?, credentials: ResourceRequest.Credentials) async throws {
        _ = await answer("/data", from: origin)
        #expect(pipeline.loader.requests.last?.credentials == credentials)
        #expect(pipeline.loader.requests.last?.head.urlText == "https://shop.example/data")
    }

    @Test("redirects are followed, but not to http; the permission does not leave the origin")
    func redirects() async throws {
        let moved = await answer("/moved")
        #expect(moved.text == "3" && moved.fields[.accessControlAllowOrigin] == nil)
        #expect(await answer("/unsafe").error?.code == .blocked)
        // The document requests each hop.
        #expect(pipeline.openers == Array(repeating: "https://shop.example/", count: 3))
    }

    @Test("documents, frames and other methods have no response")
    func refused() async throws {
        let document = await engine.request("containerkit://shop.example/data", from: view, isMainDocument: true)
        #expect(document.error?.code == .invalidRequest)
        let frame = await engine.request(
            "containerkit://shop.example/data", .get,
            [.accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"], from: view)
        #expect(frame.error?.code == .invalidRequest)
        let post = await engine.request("containerkit://shop.example/data", .post, from: view)
        #expect(post.error?.code == .invalidRequest)
        #expect(pipeline.loader.requests.isEmpty)
    }
}
