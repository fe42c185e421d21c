// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
@_spi(Facade) import BodyBridge
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// The mode `httpsTakeover` in a container: a handler on `https` gets the requests of all pages.
@MainActor
@Suite("https takeover in a container", .timeLimit(.minutes(1)))
struct HTTPSTakeoverTests {
    private let fixture = Fixture()
    private let shop = "https://shop.example/index.html"
    private let markup = "<a href=\"https://shop.example/a\"><img src=\"https://cdn.example/b.png\">"

    private func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        fixture.engine.permitsHTTPSHandler = true
        fixture.engine.traitsByMode[.httpsTakeover] = EngineTraits(
            bodies: .plain, keepsCookies: true, followsRedirects: false, preflights: false, decodes: false,
            caches: false, identifiesPage: true, acceptLanguage: "de")
        let container = try await fixture.container {
            $0.pages.mode = .httpsTakeover
            change(&$0)
        }
        try await fixture.install(["index.html": markup, "a.js": "packed"], version: "1", into: container)
        return container
    }

    private func lastRequest() -> HTTPRequest? { fixture.network.requests.withLock(\.last) }

    @Test("An engine that permits no handler on https is a typed error")
    func unsupported() async throws {
        let error = await #expect(throws: ContainerError.self) {
            try await fixture.container { $0.pages.mode = .httpsTakeover }
        }
        #expect(error?.code == .unsupported && error?.message.contains("taken") == true)
        #expect(error?.location == fixture.engine.name && fixture.engine.views.isEmpty)
        let other = Fixture()
        other.engine.permitsHTTPSHandler = true
        await (try other.container { $0.pages.mode = .httpsTakeover }).shutDown()
    }

    @Test("The mode cannot be combined with another mode, nor with plain pages")
    func alone() async throws {
        for (standard, other) in [
            (InterceptionMode.httpsTakeover, InterceptionMode.customScheme), (.httpsTakeover, .plain),
            (.document, .httpsTakeover), (.plain, .httpsTakeover),
        ] {
            let modes = [try PageMode("a.example", other)]
            let error = await #expect(throws: ContainerError.self) {
                try await fixture.container {
                    $0.pages.mode = standard
                    $0.pages.modes = modes
                }
            }
            #expect(error?.code == .unsupported, "\(standard) \(other)")
        }
    }

    @Test("A packaged page opens at its true URL, and its document is not rewritten")
    func packaged() async throws {
        let container = try await container()
        #expect(fixture.engine.schemes == [CustomScheme(name: "https", isSecure: true)])
        let page = try await container.open(shop)
        #expect(page.session.mode == .httpsTakeover && page.view.loads == [shop])
        let sink = await fixture.engine.load(page.view)
        #expect(sink?.status == 200 && sink?.text == markup)
        #expect(container.openPages.map(\.documentURL) == [shop])
        #expect(try await fixture.text("https://shop.example/a.js", from: page.view, of: container) == "packed")
        #expect(fixture.network.urls.isEmpty && page.view.contentRules.isEmpty)
        await container.shutDown()
    }

    @Test("Pages and requests that nothing covers come from the network, unchanged")
    func uncovered() async throws {
        let container = try await container()
        fixture.network.put(.bytes(Data(markup.utf8)), at: "https://other.example/", [.contentType: "text/html"])
        let page = try await container.open("https://other.example/")
        #expect(page.session.mode == .httpsTakeover && page.view.loads == ["https://other.example/"])
        #expect(await fixture.engine.load(page.view)?.text == markup)
        let image = try await fixture.answer(
            to: "https://cdn.example/b.png", .get, [.accept: "image/png"], from: page.view, of: container)
        #expect(image.sink.text == "network https://cdn.example/b.png" && image.record.provenance?.source == .network)
        #expect(lastRequest()?.headerFields[.acceptLanguage] == "de")
        await container.shutDown()
    }

    @Test("Switched off, the container passes covered pages to the network too")
    func switchedOff() async throws {
        let container = try await container()
        container.isEnabled = false
        let page = try await container.open(shop)
        #expect(page.session.mode == .httpsTakeover)
        #expect(await fixture.engine.load(page.view)?.text == "network \(shop)")
        #expect(
            try await fixture.text("https://shop.example/a.js", from: page.view, of: container)
                == "network https://shop.example/a.js")
        await container.shutDown()
    }

    @Test("Requests carry the cookies of the engine, and those of responses are stored there")
    func cookies() async throws {
        let container = try await container()
        fixture.engine.jar.put(EngineCookie(name: "a", value: "1", domain: "other.example"))
        fixture.network.put(.bytes(Data("x".utf8)), at: "https://other.example/", [.setCookie: "b=2; Path=/; HttpOnly"])
        let page = try await container.open("https://other.example/")
        let sink = await fixture.engine.load(page.view)
        #expect(lastRequest()?.headerFields[.cookie] == "a=1")
        #expect(sink?.fields[.setCookie] == nil)
        #expect(fixture.engine.jar.cookies.map(\.name).sorted() == ["a", "b"])
        #expect(fixture.engine.jar.cookies.first { $0.name == "b" }?.isHTTPOnly == true)
        await container.shutDown()
    }

    @Test("The redirect of a document changes the URL of the page, and others are followed")
    func redirects() async throws {
        let container = try await container()
        let page = try await container.open("https://other.example/to/https://www.example/home")
        let lead = await fixture.engine.load(page.view)
        #expect(lead?.status == 200 && lead?.text.contains(#"location.replace("https:\/\/www.example\/home""#) == true)
        #expect(lead?.text.contains("containerkit") == false)
        let followed = try await fixture.text(
            "https://other.example/to/https://other.example/x.js", from: page.view, of: container)
        #expect(followed == "network https://other.example/x.js")
        await container.shutDown()
    }

    @Test("A request whose body the engine may have lost fails, and one whose method has no body is sent")
    func bodies() async throws {
        let container = try await container()
        let page = try await container.open("https://other.example/")
        // A worker that sends an untyped Blob: the request has neither a type nor a body.
        let losses: [(HTTPRequest.Method, HTTPFields)] = [
            (.post, [.contentType: "image/png"]), (.post, [:]), (.put, [:]), (.patch, [:]),
            (.delete, [.contentType: "image/png"]),
        ]
        for (method, fields) in losses {
            let lost = try await fixture.answer(
                to: "https://other.example/api", method, fields, from: page.view, of: container)
            #expect(lost.sink.error?.code == .invalidRequest && fixture.network.urls.isEmpty, "\(method) \(fields)")
        }
        for method in [HTTPRequest.Method.get, .delete] {
            let bodyless = try await fixture.answer(
                to: "https://other.example/api", method, from: page.view, of: container)
            #expect(bodyless.sink.status == 200 && lastRequest()?.method == method)
        }
        await container.shutDown()
    }

    @Test("Pages get the script that converts bodies to bytes, also if nothing covers them")
    func bridges() async throws {
        let container = try await container()
        for url in [shop, "https://other.example/"] {
            let page = try await container.open(url)
            #expect(page.view.scripts.count >= 3 && page.view.promptPrefix != nil)
            #expect(page.view.scripts.allSatisfy { $0.places.isEmpty })
        }
        await container.shutDown()
    }

    @Test("Messages of older pages are answered")
    func messages() async throws {
        let container = try await container { $0.pages.legacyMessages = LegacyMessages(prefix: "yx") }
        let page = try await container.open(shop)
        let message =
            #"{"name":"a","value":"1","domain":"shop.example","path":"/","originurl":"https://shop.example"}"#
        #expect(page.view.prompt("cookie \(shop) \(message)") == #"{"value":"a=1; Path=\/"}"#)
        await container.shutDown()
    }
}
