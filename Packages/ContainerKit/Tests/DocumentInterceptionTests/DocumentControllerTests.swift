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

    /// The time of a test.
    @MainActor
    private final class Time {
        var now = ContinuousClock.now
    }

    /// A controller with a view, in which it has begun.
    @MainActor
    private struct Stage {
        let view = FakeView(id: ViewID(rawValue: 1))
        let pipeline: FakePipeline
        let host: FakeHost
        let controller: DocumentController
        let time = Time()

        init(_ responses: [String: ResourceResponse], contentRules: String? = nil) async throws {
            pipeline = FakePipeline(responses)
            host = FakeHost(view)
            controller = DocumentController(
                names: .standard, pipeline: pipeline, host: host, logger: Logger(label: "test"),
                now: { [time] in time.now })
            pipeline.contentRules = contentRules
            try await controller.begin(in: view, forPageAt: host.documentURL)
        }

        /// Returns the document that the container gives for a navigation.
        func document(
            at url: String = "https://shop.example/a", referrer: String? = "https://shop.example/",
            isReload: Bool = false, isOfApp: Bool = false, mayBeOfFrame: Bool = false
        ) async -> EngineDocument? {
            do {
                return try await result(
                    at: url, referrer: referrer, isReload: isReload, isOfApp: isOfApp, mayBeOfFrame: mayBeOfFrame)
            } catch {
                Issue.record(error)
                return nil
            }
        }

        /// Returns the document that the container gives for a navigation, or throws the error with which it fails.
        func result(
            at url: String, referrer: String? = nil, isReload: Bool = false, isOfApp: Bool = false,
            mayBeOfFrame: Bool = false
        ) async throws(EngineError) -> EngineDocument? {
            var fields = HTTPFields()
            fields[.referer] = referrer
            return try await view.onNavigation?(
                EngineNavigation(
                    to: url, fields: fields, isReload: isReload, isOfApp: isOfApp, mayBeOfFrame: mayBeOfFrame))
        }
    }

    private func document(
        at url: String = "https://shop.example/a", _ responses: [String: ResourceResponse], mayBeOfFrame: Bool = false
    ) async throws -> EngineDocument? {
        try await Stage(responses).document(at: url, mayBeOfFrame: mayBeOfFrame)
    }

    @Test("a document is given with the custom-scheme URLs of held resources")
    func given() async throws {
        let text = "<!doctype html><script src=/held.js></script><img src=/other.png>"
        let document = try #require(
            try await document(at: "https://shop.example/a#x", ["https://shop.example/a": .init(text, Self.html)]))
        #expect(document.url == "https://shop.example/a#x")
        #expect(
            document.html
                == "<!doctype html><script crossorigin=ANONYMOUS src=containerkit://shop.example/held.js></script><img src=/other.png>"
        )
        #expect(document.script.contains(#""referrer":"https://shop.example/""#))
    }

    @Test("the script has the hashes of URLs that rules answer, also when the rules change")
    func actions() async throws {
        let stage = try await Stage(["https://shop.example/a": .init("<p>", Self.html)])
        let without = try #require(await stage.document()).script
        stage.pipeline.answeredURLs = ["https://shop.example/flags.json"]
        let with = try #require(await stage.document()).script
        let hashes = HeldPaths(files: stage.pipeline.answeredURLs).hashes["https://shop.example"] ?? ""
        #expect(!without.contains(hashes) && with.contains(hashes) && !hashes.isEmpty)
        stage.pipeline.answeredURLs = []
        #expect(await stage.document()?.script == without)
    }

    @Test("redirects are followed within the covered hosts, and keep the fragment")
    func redirects() async throws {
        let redirect = { (target: String) in
            ResourceResponse("", "text/plain", status: .found, [.location: target])
        }
        let responses = [
            "https://shop.example/a": redirect("/b"), "https://shop.example/b": .init("<p>", Self.html),
        ]
        let document = try await document(at: "https://shop.example/a#x", responses)
        #expect(document?.url == "https://shop.example/b#x")
    }

    @Test(
        "the engine loads what the container cannot give unchanged",
        arguments: [
            ("{}", "application/json", [:], 200), ("<p>", "text/html; charset=shift_jis", [:], 200),
            ("\u{E9}", "text/html", [:], 200), ("a\0b", html, [:], 200), ("<p>", html, [:], 404),
            ("<p>", html, ["Content-Security-Policy": "sandbox allow-scripts"], 200),
            ("<p>", html, ["Cross-Origin-Opener-Policy": "same-origin"], 200),
            ("<p>", html, ["Content-Disposition": "attachment"], 200), ("<p>", html, ["Content-Encoding": "zstd"], 200),
        ])
    func engines(text: String, type: String, fields: [String: String], status: Int) async throws {
        var answered = HTTPFields()
        for (name, value) in fields { answered[try #require(HTTPField.Name(name))] = value }
        let response = ResourceResponse(text, type, status: .init(code: status), answered)
        #expect(try await document(["https://shop.example/a": response]) == nil)
    }

    @Test("a document of a package is given without a charset and with status 404")
    func packaged() async throws {
        let response = ResourceResponse("<p>", "text/html", from: .package, status: .notFound)
        #expect(try await document(["https://shop.example/a": response])?.html == "<p>")
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
    func charsets(text: String, type: String, isGiven: Bool) async throws {
        let document = try await document(["https://shop.example/a": .init(text + "\u{E9}", type)])
        #expect((document != nil) == isGiven)
    }

    @Test("a document in ASCII is given without a charset, and not with another one")
    func ascii() async throws {
        #expect(try await document(["https://shop.example/a": .init("<p>~", "text/html")])?.html == "<p>~")
        #expect(try await document(["https://shop.example/a": .init("<meta charset=gbk>", "text/html")]) == nil)
    }

    @Test("of a navigation that may be a frame's, only a held document is requested")
    func frames() async throws {
        let responses: [String: ResourceResponse] = [
            "https://shop.example/a": .init("<p>", Self.html), "https://shop.example/held": .init("<p>", Self.html),
        ]
        #expect(try await document(responses, mayBeOfFrame: true) == nil)
        #expect(try await document(at: "https://shop.example/held", responses, mayBeOfFrame: true) != nil)
        #expect(try await document(at: "https://other.example/", responses) == nil)
    }

    @Test("an interim document continues at the target of a redirect to another host, without a second request")
    func redirectsElsewhere() async throws {
        let stage = try await Stage([
            "https://shop.example/out": .init(
                "", "text/plain", status: .found, [.location: "https://login.example/?a#b</script>"]),
            "https://shop.example/on": .init("", "text/plain", status: .found, [.location: "http://login.example/"]),
        ])
        for _ in 0..<2 {
            let document = await stage.document(at: "https://shop.example/out#x", referrer: nil, isOfApp: true)
            let html = document?.html.replacing("\\/", with: "/") ?? ""
            #expect(document?.url == "https://shop.example/out#x")
            #expect(html.contains(#"<script>location.replace("https://login.example/?a#b"#))
            #expect(html.split(separator: "</script>", omittingEmptySubsequences: false).count == 2)
            document?.onShow()
        }
        #expect(stage.pipeline.loader.requests.count == 2 && stage.host.interimCount == 2)
        let opened = await stage.document(at: "https://shop.example/on#x", referrer: nil, isOfApp: true)
        let html = opened?.html.replacing("\\/", with: "/") ?? ""
        #expect(html.contains(#"content=no-referrer><script>location.replace("http://login.example/#x")</script>"#))
    }

    @Test("the engine follows a redirect itself if the interim document would have other cookies or another Referer")
    func redirectsOfOthers() async throws {
        func redirect(to target: String) -> ResourceResponse {
            ResourceResponse("", "text/plain", status: .found, [.location: target])
        }
        let stage = try await Stage([
            "https://shop.example/out": redirect(to: "https://login.example/"),
            "https://shop.example/file": redirect(to: "file:///etc/hosts"),
        ])
        #expect(await stage.document(at: "https://shop.example/out") == nil)
        #expect(await stage.document(at: "https://shop.example/file") == nil)
        stage.time.now += DocumentController.refusedLife
        #expect(await stage.document(at: "https://shop.example/out", referrer: nil, isOfApp: true) != nil)
    }

    @Test("a URL whose response cannot be given goes to the engine for a while, unless a source holds it")
    func refused() async throws {
        let json = ResourceResponse("{}", "application/json")
        var responses = ["https://shop.example/a": json, "https://shop.example/held": json]
        responses["https://shop.example/out"] = .init("", "a/b", status: .found, [.location: "https://login.example/"])
        responses["https://shop.example/404"] = .init("<p>", Self.html, status: .notFound)
        responses["https://shop.example/page"] = .init("<p>", Self.html)
        let stage = try await Stage(responses)
        for path in ["a", "a#x", "out", "404"] {
            let document = await stage.document(
                at: "https://shop.example/\(path)", referrer: "https://other.example/")
            #expect(document == nil)
        }
        #expect(stage.pipeline.loader.requests.count == 3)
        for path in ["a#y", "out", "404"] {
            let document = await stage.document(
                at: "https://shop.example/\(path)", referrer: "https://other.example/")
            #expect(document == nil)
        }
        #expect(stage.pipeline.loader.requests.count == 3)
        for _ in 0..<2 {
            #expect(await stage.document(at: "https://shop.example/held") == nil)
            #expect(await stage.document(at: "https://shop.example/page") != nil)
        }
        #expect(stage.pipeline.loader.requests.count == 7)
        stage.time.now += DocumentController.refusedLife
        #expect(await stage.document() == nil)
        #expect(stage.pipeline.loader.requests.count == 8)
    }

    @Test("a blocked document fails, also if the engine has loaded its URL before, and in a navigation of a frame")
    func blocked() async throws {
        let url = "https://shop.example/held"
        let stage = try await Stage([url: .init("{}", "application/json")])
        #expect(await stage.document(at: url) == nil)
        stage.pipeline.ruled = [url]
        stage.pipeline.errors = [url: ResourceError(.blocked, "block: rules[0]", at: url)]
        for isOfFrame in [false, true] {
            await #expect(throws: EngineError(.blocked, "block: rules[0]", at: url)) {
                _ = try await stage.result(at: url, mayBeOfFrame: isOfFrame)
            }
        }
        let failures = stage.host.records.map { item -> ResourceError.Code? in
            if case .failed(let error) = item.record.outcome { error.code } else { nil }
        }
        #expect(failures == [nil, .blocked, .blocked])
        // The network's errors are those of the engine's own navigation.
        stage.pipeline.ruled = []
        #expect(await stage.document(at: url) == nil)
    }

    @Test("the engine blocks requests by the current rules before the first load and before each further document")
    func contentRules() async throws {
        let stage = try await Stage(["https://shop.example/a": .init("<p>", Self.html)], contentRules: "first")
        #expect(stage.view.contentRules == ["first"])
        _ = await stage.document()
        #expect(stage.view.contentRules == ["first"])
        stage.pipeline.contentRules = "second"
        _ = await stage.document()
        stage.pipeline.contentRules = nil
        for _ in 0..<2 { _ = await stage.document(at: "https://other.example/") }
        #expect(stage.view.contentRules.prefix(2) == ["first", "second"] && stage.view.contentRules.count == 3)
        #expect(stage.view.contentRules.last?.contains("ignore-previous-rules") == true)
        #expect(try await Stage([:]).view.contentRules == [])
    }

    @Test("a plain page has no blocked requests when the view shows it, and not before")
    func plainPage() async throws {
        let stage = try await Stage([:], contentRules: "rules")
        _ = await stage.document(at: "https://plain.example/")
        #expect(stage.view.contentRules == ["rules"])
        stage.host.documentURL = "https://plain.example/"
        stage.controller.shows(stage.host.page)
        while stage.view.contentRules.count < 2 { await Task.yield() }
        #expect(stage.view.contentRules.last?.contains("ignore-previous-rules") == true)
        _ = await stage.document()
        #expect(stage.view.contentRules.count == 3 && stage.view.contentRules.last == "rules")
    }

    @Test("rules that change while the engine compiles them apply in the end")
    func changedContentRules() async throws {
        let stage = try await Stage([:])
        stage.pipeline.contentRules = "old"
        stage.view.onContentRules = { if $0 == "old" { stage.pipeline.contentRules = "new" } }
        _ = await stage.document()
        #expect(stage.view.contentRules == ["old", "new"])
    }

    @Test("a navigation fails if the engine rejects the content rules, and the next one tries again")
    func rejectedContentRules() async throws {
        let stage = try await Stage(["https://shop.example/a": .init("<p>", Self.html)])
        stage.pipeline.contentRules = "rules"
        stage.view.onContentRules = { _ in throw EngineError(.storage, "no room") }
        await #expect(throws: EngineError(.storage, "no room")) {
            _ = try await stage.result(at: "https://shop.example/a")
        }
        await #expect(throws: EngineError.self) {
            try await stage.controller.begin(in: stage.view, forPageAt: "https://shop.example/")
        }
        #expect(stage.pipeline.loader.requests.isEmpty)
        stage.view.onContentRules = nil
        #expect(await stage.document()?.html == "<p>" && stage.view.contentRules == ["rules"])
    }

    @Test("the response of a rule is given with any status, and is an empty document without a body")
    func ruled() async throws {
        let url = "https://shop.example/a"
        let stage = try await Stage([
            url: .init("<p>\u{E9}", "text/html", from: .synthetic, status: .serviceUnavailable),
            url + "1": ResourceResponse(
                head: HTTPResponse(status: .gone), body: .empty, provenance: Provenance(.synthetic, reason: "a test")),
        ])
        stage.pipeline.ruled = [url, url + "1"]
        #expect(await stage.document(at: url)?.html == "<p>\u{E9}")
        #expect(await stage.document(at: url + "1#x")?.url == url + "1#x")
        #expect(await stage.document(at: url + "1")?.html.isEmpty == true)
    }

    @Test(
        "a navigation fails if the container cannot give the response of a rule",
        arguments: [
            ("{}", "application/json", [:], 200), ("<p>", "text/html; charset=gbk", [:], 200),
            ("<p>", html, ["Content-Security-Policy": "sandbox"], 200), ("a\0b", html, [:], 404), ("", html, [:], 204),
        ])
    func ungiven(text: String, type: String, fields: [String: String], status: Int) async throws {
        var answered = HTTPFields()
        for (name, value) in fields { answered[try #require(HTTPField.Name(name))] = value }
        let url = "https://shop.example/a"
        let stage = try await Stage([url: .init(text, type, from: .synthetic, status: .init(code: status), answered)])
        stage.pipeline.ruled = [url]
        for _ in 0..<2 {
            await #expect(throws: EngineError.self) { _ = try await stage.result(at: url) }
        }
        #expect(stage.pipeline.loader.requests.count == 2)
    }

    @Test("a redirect by a rule leads the engine to a target that the container cannot give")
    func ruledRedirects() async throws {
        let redirect = { (target: String) in
            ResourceResponse("", "text/plain", from: .synthetic, status: .found, [.location: target])
        }
        let url = "https://shop.example/"
        let stage = try await Stage([
            url + "out": redirect("https://login.example/"), url + "file": redirect("/a.pdf"),
            url + "a.pdf": .init("%PDF", "application/pdf"), url + "none": redirect("/missing"),
            url + "loop": redirect("/loop"),
        ])
        stage.pipeline.ruled = [url + "out", url + "file", url + "none", url + "loop"]
        stage.pipeline.errors = [url + "missing": ResourceError(.connectionLost, "lost")]
        let targets = ["out": "https://login.example/#x", "file": url + "a.pdf#x", "none": url + "missing#x"]
        for (path, target) in targets {
            let document = await stage.document(at: url + path + "#x")
            #expect(document?.url == url + path + "#x")
            #expect(document?.html.replacing("\\/", with: "/").contains("location.replace(\"\(target)\")") == true)
        }
        await #expect(throws: EngineError.self) { _ = try await stage.result(at: url + "loop") }
    }

    @Test("the number of URLs whose responses cannot be given is limited, and failed requests are not among them")
    func refusedLimit() async throws {
        var responses: [String: ResourceResponse] = [:]
        let urls = (0...DocumentController.refusedLimit).map { "https://shop.example/\($0)" }
        for url in urls { responses[url] = .init("{}", "application/json") }
        let stage = try await Stage(responses)
        for url in urls { #expect(await stage.document(at: url) == nil) }
        #expect(await stage.document(at: urls[1]) == nil)
        #expect(stage.pipeline.loader.requests.count == urls.count)
        #expect(await stage.document(at: urls[0]) == nil)
        for _ in 0..<2 { #expect(await stage.document(at: "https://shop.example/none") == nil) }
        #expect(stage.pipeline.loader.requests.count == urls.count + 3)
    }

    @Test(
        "the body is not read if the head shows that the response cannot be given",
        arguments: [
            ("application/zip", [:], 200), ("text/html; charset=gbk", [:], 200), (html, [:], 500),
            (html, ["Content-Disposition": "attachment"], 200), (html, ["Content-Security-Policy": "sandbox"], 200),
            (html, ["Cross-Origin-Embedder-Policy": "require-corp"], 200), (html, [:], 200),
        ])
    func unread(type: String, fields: [String: String], status: Int) async throws {
        var answered = HTTPFields()
        for (name, value) in fields { answered[try #require(HTTPField.Name(name))] = value }
        var response = ResourceResponse("", type, status: .init(code: status), answered)
        response.body = .stream(ByteStream(UnreadBody(), length: 5 << 30))
        let stage = try await Stage(["https://shop.example/a": response])
        for _ in 0..<2 { #expect(await stage.document() == nil) }
        #expect(stage.pipeline.loader.requests.count == 1)
    }

    @Test("each request has one record, and only a shown document of the page is a document of the page")
    func records() async throws {
        let stage = try await Stage([
            "https://shop.example/a": .init("<p>1", Self.html), "https://shop.example/held": .init("<p>", Self.html),
            "https://shop.example/file": .init("{}", "application/json"),
        ])
        func records() -> [String] {
            stage.host.records.map { item in
                let outcome =
                    switch item.record.outcome {
                    case .finished: "finished"
                    case .stopped: "stopped"
                    case .failed: "failed"
                    }
                let kind = item.record.isMainDocument ? "page" : "other"
                return "\(item.record.url.dropFirst(21)) \(kind) \(outcome) \(item.record.bytes)"
            }
        }
        var document = await stage.document()
        #expect(records() == [])
        document?.onShow()
        document = nil
        #expect(records() == ["a page finished 4"])
        // The engine loads this one itself.
        #expect(await stage.document(at: "https://shop.example/file") == nil)
        #expect(records().last == "file page stopped 0")
        #expect(stage.host.records.last?.record.status == .ok)
        document = await stage.document(at: "https://shop.example/held", mayBeOfFrame: true)
        #expect(records().count == 2)
        document = nil
        #expect(records().dropFirst(2) == ["held other stopped 0"])
        document = await stage.document(at: "https://shop.example/held", mayBeOfFrame: true)
        document?.onShow()
        document = nil
        #expect(records().dropFirst(3) == ["held page finished 3"])
    }

    @Test("a document of the page is the opener; a document that the app opens or that is reloaded has none")
    func openers() async throws {
        let stage = try await Stage([
            "https://shop.example/a": .init("<p>", Self.html), "https://shop.example/": .init("<p>", Self.html),
        ])
        _ = await stage.document()
        _ = await stage.document(isReload: true)
        _ = await stage.document(at: "https://shop.example/")
        _ = await stage.document(referrer: nil, isOfApp: true)
        #expect(stage.pipeline.openers == ["https://shop.example/", nil, nil, nil])
        #expect(stage.pipeline.loader.requests.last?.page?.page.documentURL == "https://shop.example/a")
    }
}
