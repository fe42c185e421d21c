// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// The handler on https. In this package the condition of the trait is set.
@MainActor
@Suite("https takeover", .timeLimit(.minutes(1)))
struct TakeoverTests {
    private static let https = CustomScheme(name: "https", isSecure: true)

    /// A handler that records requests and answers each with a short document.
    @MainActor
    private final class Server {
        var requests: [EngineRequest] = []
        /// The bodies of the requests, which can be read until the end of a request.
        var bodies: [ResourceBody?] = []
        var handler: SchemeHandler {
            { request, sink in
                self.requests.append(request)
                self.bodies.append(try? request.body?())
                let delivery = SchemeTaskDelivery(to: sink)
                let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
                _ = delivery.deliver(head, .bytes(Data("<p>taken".utf8)))
                return delivery
            }
        }
    }

    private func refusal(of engine: WKWebViewEngine, _ name: String = "https") -> EngineError? {
        #expect(throws: EngineError.self) {
            try engine.register(CustomScheme(name: name, isSecure: true)) { _, sink in .refusal(to: sink, "not used") }
        }
    }

    @Test("Without the flag of the app, and in a WebKit without the method, the mode is refused before a view exists")
    func refuses() throws {
        let error = refusal(of: WKWebViewEngine())
        #expect(error?.code == .schemeTaken && error?.location == "https")
        #expect(error?.message.contains("allowsHTTPSTakeover") == true)
        WKWebView.refusesTakeover = true
        defer { WKWebView.refusesTakeover = false }
        let engine = WKWebViewEngine(allowsHTTPSTakeover: true)
        #expect(refusal(of: engine)?.code == .schemeTaken)
        #expect(try engine.makeView().webView?.configuration.urlSchemeHandler(forURLScheme: "https") == nil)
    }

    @Test("The flag concerns https alone", arguments: ["http", "wss", "about", "blob", "HTTPS"])
    func keepsOtherSchemes(_ name: String) throws {
        let engine = WKWebViewEngine(allowsHTTPSTakeover: true)
        #expect(refusal(of: engine, name)?.code == .schemeTaken)
        #expect(try engine.makeView().webView?.configuration.urlSchemeHandler(forURLScheme: "https") == nil)
    }

    @Test("WebKit reports its schemes truly again when the view exists, and other engines have no handler")
    func restores() throws {
        let server = Server()
        let engine = WKWebViewEngine(allowsHTTPSTakeover: true)
        try engine.register(Self.https, handler: server.handler)
        try engine.register(CustomScheme(name: "app", isSecure: true), handler: server.handler)
        for _ in 0..<2 {
            let configuration = try #require(engine.makeView().webView?.configuration)
            #expect(configuration.urlSchemeHandler(forURLScheme: "https") != nil)
            #expect(configuration.urlSchemeHandler(forURLScheme: "app") != nil)
            #expect(configuration.urlSchemeHandler(forURLScheme: "http") == nil)
            #expect(WKWebView.handlesURLScheme("https") && WKWebView.handlesURLScheme("http"))
        }
        #expect(try WKWebViewEngine().makeView().webView?.configuration.urlSchemeHandler(forURLScheme: "https") == nil)
    }

    @Test("Documents and resources of all hosts reach the handler at their true URL, with method, fields and body")
    func takesRequests() async throws {
        let server = Server()
        let engine = WKWebViewEngine(allowsHTTPSTakeover: true)
        try engine.register(Self.https, handler: server.handler)
        let view = try engine.makeView()
        let web = try #require(view.webView)
        var ends: [String] = []
        view.onSignal = { if case .finished(let url) = $0 { ends.append(url) } }
        web.page.onNavigation = { await $0.run() }
        view.load("https://shop.example/a?b#c")
        try await until { ends == ["https://shop.example/a?b#c"] }
        #expect(web.url == url("https://shop.example/a?b#c"))
        var sent = request("https://other.example/api", method: "POST")
        sent.httpBody = Data("body".utf8)
        sent.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let task = try #require(web.page.startTask(sent))
        await task.waitForEnd()
        #expect(server.requests.map(\.head.urlText) == ["https://shop.example/a?b", "https://other.example/api"])
        #expect(server.requests.map(\.isMainDocument) == [true, false])
        #expect(server.requests[0].fragment == "c" && server.requests.allSatisfy { $0.view == view.id })
        #expect(server.requests[1].head.method == .post)
        #expect(server.requests[1].head.headerFields[.contentType] == "text/plain")
        guard case .bytes(let body)? = server.bodies[1] else { return #expect(Bool(false), "no body") }
        #expect(body == Data("body".utf8) && task.data == Data("<p>taken".utf8))
        #expect(task.responses.first?.url == url("https://other.example/api"))
        #expect(web.page.startTask(request("http://shop.example/")) == nil)
        #expect(web.page.startTask(request("wss://shop.example/")) == nil)
    }

    @Test("The next view of a page has the handler, and after the release of the engine requests fail")
    func outlives() async throws {
        let server = Server()
        var engine: WKWebViewEngine? = WKWebViewEngine(allowsHTTPSTakeover: true)
        try engine?.register(Self.https, handler: server.handler)
        let view = try #require(try engine?.makeView())
        let successor = try view.makeSuccessor()
        #expect(successor.webView?.configuration.urlSchemeHandler(forURLScheme: "https") != nil)
        engine = nil
        let task = try #require(view.webView?.page.startTask(request("https://a.example/")))
        guard case .failed = task.end else { return #expect(Bool(false), "not failed") }
        #expect(server.requests.isEmpty)
    }

    @Test("Tasks of the mode lose Blobs, redirects, preflights and the cookies of requests")
    func declaresTraits() {
        let traits = WKWebViewEngine.traits(in: .httpsTakeover, acceptLanguage: "de")
        var scheme = WKWebViewEngine.traits(in: .customScheme, acceptLanguage: "de")
        #expect(traits.bodies == .plain && traits.keepsCookies && !traits.followsRedirects && !traits.preflights)
        scheme.keepsCookies = true
        #expect(traits == scheme)
    }
}
