// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Logging
import ResourceLoading
import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

@testable import DocumentInterception

@Suite("DocumentController", .timeLimit(.minutes(1)))
@MainActor
struct DocumentControllerTests {
    private nonisolated static let html = "text/html; charset=utf-8"

    /// Returns the document that the container gives for a navigation.
    private func document(
        at url: String = "https://shop.example/a", _ responses: [String: ResourceResponse], mayBeOfFrame: Bool = false
    ) async -> EngineDocument? {
        let view = FakeView(id: ViewID(rawValue: 1))
        let pipeline = FakePipeline(responses)
        let host = FakeHost(view)
        let controller = DocumentController(
            names: .standard, pipeline: pipeline, host: host, logger: Logger(label: "test"))
        controller.begin(in: view)
        let fields: HTTPFields = [.referer: "https://shop.example/"]
        return await view.onNavigation?(
            EngineNavigation(to: url, fields: fields, isReload: false, mayBeOfFrame: mayBeOfFrame))
    }

    @Test("a document is given with the custom-scheme URLs of held resources")
    func given() async throws {
        let text = "<!doctype html><script src=/held.js></script><img src=/other.png>"
        let document = try #require(
            await document(at: "https://shop.example/a#x", ["https://shop.example/a": .init(text, Self.html)]))
        #expect(document.url == "https://shop.example/a#x")
        #expect(
            document.html
                == "<!doctype html><script crossorigin=ANONYMOUS src=containerkit://shop.example/held.js></script><img src=/other.png>"
        )
        #expect(document.script.contains(#""referrer":"https://shop.example/""#))
    }

    @Test("redirects are followed within the covered hosts, and keep the fragment")
    func redirects() async throws {
        let redirect = { (target: String) in
            ResourceResponse("", "text/plain", status: .found, [.location: target])
        }
        let responses = [
            "https://shop.example/a": redirect("/b"), "https://shop.example/b": .init("<p>", Self.html),
            "https://shop.example/out": redirect("https://login.example/"),
        ]
        let document = await document(at: "https://shop.example/a#x", responses)
        #expect(document?.url == "https://shop.example/b#x")
        #expect(await self.document(at: "https://shop.example/out", responses) == nil)
    }

    @Test(
        "the engine loads what the container cannot give unchanged",
        arguments: [
            ("{}", "application/json", [:], 200), ("<p>", "text/html; charset=shift_jis", [:], 200),
            ("<p>", "text/html", [:], 200), ("a\0b", html, [:], 200), ("<p>", html, [:], 404),
            ("<p>", html, ["Content-Security-Policy": "sandbox allow-scripts"], 200),
            ("<p>", html, ["Cross-Origin-Opener-Policy": "same-origin"], 200),
            ("<p>", html, ["Content-Disposition": "attachment"], 200), ("<p>", html, ["Content-Encoding": "zstd"], 200),
        ])
    func engines(text: String, type: String, fields: [String: String], status: Int) async throws {
        var answered = HTTPFields()
        for (name, value) in fields { answered[try #require(HTTPField.Name(name))] = value }
        let response = ResourceResponse(text, type, status: .init(code: status), answered)
        #expect(await document(["https://shop.example/a": response]) == nil)
    }

    @Test("a document of a package is given without a charset and with status 404")
    func packaged() async {
        let response = ResourceResponse("<p>", "text/html", from: .package, status: .notFound)
        #expect(await document(["https://shop.example/a": response])?.html == "<p>")
    }

    @Test(
        "the charset is that of the response, or that of a meta element in the first 1,024 bytes",
        arguments: [
            ("<meta charset=utf-8>", "text/html", true), ("<META CharSet = 'UTF8'>", "text/html", true),
            ("<meta http-equiv=Content-Type content='text/html; charset=utf-8'>", "text/html", true),
            ("<meta content='text/html; charset=utf-8'>", "text/html", false),
            ("<!-- <meta charset=utf-8> -->", "text/html", false),
            ("<!-- <meta charset=utf-8> --><meta charset=gbk>", "text/html", false),
            ("<!-- <meta charset=gbk> --><meta charset=utf-8>", "text/html", true),
            ("<p title='<meta charset=utf-8>'>", "text/html", false),
            ("<meta name=a content=charset><meta charset=utf-8>", "text/html", true),
            ("<metal charset=utf-8>", "text/html", false),
            (String(repeating: " ", count: 1_004) + "<meta charset=utf-8>", "text/html", true),
            (String(repeating: " ", count: 1_005) + "<meta charset=utf-8>", "text/html", false),
            ("<meta charset=gbk>", "text/html; charset=UTF-8", true),
            ("<meta charset=utf-8>", "text/html; charset=gbk", false),
            ("<meta charset=utf-8>", "text/html; charset=nothing", true),
        ])
    func charsets(text: String, type: String, isGiven: Bool) async {
        let document = await document(["https://shop.example/a": .init(text, type)])
        #expect((document != nil) == isGiven)
    }

    @Test("of a navigation that may be a frame's, only a held document is requested")
    func frames() async {
        let responses: [String: ResourceResponse] = [
            "https://shop.example/a": .init("<p>", Self.html), "https://shop.example/held": .init("<p>", Self.html),
        ]
        #expect(await document(responses, mayBeOfFrame: true) == nil)
        #expect(await document(at: "https://shop.example/held", responses, mayBeOfFrame: true) != nil)
        #expect(await document(at: "https://other.example/", responses) == nil)
    }
}
