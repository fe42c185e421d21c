// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import PackageFormat
import RequestPipeline
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import LoopbackInterception

/// Pages of several modes that are open together, including pages of one origin.
@MainActor
@Suite("Pages of several modes: attribution and pinning", .timeLimit(.minutes(1)))
struct ModesTogetherTests {
    private let fixture = Fixture()
    private let shop = "https://m.shop.example/"
    private let help = "https://m.shop.example/help/a"
    private let named = "https://s.shop.example/"

    init() {
        fixture.engine.traitsByMode[.loopbackProxy] = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
            identifiesPage: false, acceptLanguage: nil)
    }

    private func container() async throws -> Container<FakeEngine> {
        let modes = [
            try PageMode("s.shop.example", .customScheme), try PageMode("m.shop.example/help/**", .plain),
            try PageMode("part.example/app/**", .customScheme),
        ]
        return try await fixture.container(covering: ["*.shop.example", "part.example"]) {
            $0.pages.mode = .loopbackProxy
            $0.pages.modes = modes
        }
    }

    /// Sends a request of the engine through the proxy.
    private func sendRequest(
        _ url: String, _ fields: HTTPFields, of container: Container<FakeEngine>
    ) async throws -> (fields: HTTPFields, text: String, page: PageID?) {
        let pipeline = try #require(container.pipelines[.loopbackProxy])
        let requests = LoopbackRequests(
            pipeline: pipeline.path, pages: try #require(container.loopback).pages)
        var request = ResourceRequest(
            try #require(HTTPRequest(method: .get, urlText: url, headerFields: fields)))
        requests.complete(&request)
        let response = try #require(try await requests.load(request))
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        return (response.head.headerFields, text, request.page?.page.id)
    }

    @Test("The engine must revalidate a response to a plain page for a package URL before another page uses it")
    func engineKeepsNothingForOthers() async throws {
        let container = try await container()
        try await fixture.install(["static/app.js": "packaged"], version: "1", base: shop, into: container)
        let page = try await container.open(help)
        let answers = [
            (shop + "static/app.js", "max-age=600", ["max-age=600", "no-cache"]),
            (shop + "secret", "no-store", ["no-store"]), (named + "x", "max-age=600", ["max-age=600"]),
        ]
        for (url, said, received) in answers {
            fixture.network.put(.bytes(Data("server".utf8)), at: url, [.cacheControl: said])
            let answer = try await sendRequest(url, [.referer: help], of: container)
            #expect(answer.text == "server" && answer.fields[values: .cacheControl] == received, "\(url)")
        }
        await container.close(page)
        await container.shutDown()
    }

    @Test("A package serves a request that may belong to a proxy page, even if a plain page of the origin opened last")
    func unknownAskers() async throws {
        let container = try await container()
        try await fixture.install(["f": "packaged"], version: "1", base: shop, into: container)
        let proxied = try await container.open(shop + "index")
        let plain = try await container.open(help)
        let origin = String(shop.dropLast())
        let doubtful: [HTTPFields] = [
            [.referer: shop + "style.css", .origin: origin], [.referer: shop + "pushed"],
            [.referer: "https://cdn.example/style.css"], [:],
        ]
        for fields in doubtful {
            #expect(try await sendRequest(shop + "f", fields, of: container).text == "packaged", "\(fields)")
        }
        #expect(try await sendRequest(shop + "f", [.referer: help], of: container).text == "network \(shop)f")
        await container.close(proxied)
        for fields in doubtful {
            #expect(try await sendRequest(shop + "f", fields, of: container).text == "network \(shop)f", "\(fields)")
        }
        await container.close(plain)
        await container.shutDown()
    }

    @Test("A request of a custom-scheme page to a real URL is not attributed to a proxy page")
    func ofScheme() async throws {
        let container = try await container()
        let page = try await container.open(shop)
        #expect(
            try await sendRequest(shop + "f", [.origin: "https://x.example"], of: container).page == page.session.id)
        for fields: HTTPFields in [
            [.origin: "containerkit://s.shop.example"], [.referer: "containerkit://s.shop.example/x"],
        ] {
            #expect(try await sendRequest(shop + "f", fields, of: container).page == nil)
        }
        await container.close(page)
        await container.shutDown()
    }

    @Test("A URL is covered for custom-scheme pages even if it would open in plain mode as a page")
    func covered() async throws {
        let modes = [try PageMode("s.shop.example", .customScheme)]
        let container = try await fixture.container(covering: ["*.shop.example"]) {
            $0.pages.mode = .plain
            $0.pages.modes = modes
        }
        #expect(container.path.policy.covers(shop) && !container.covers(shop))
        #expect(!container.path.policy.covers("https://other.example/"))
        await container.shutDown()
    }

    @Test("An open page keeps its custom-scheme URL within its origin, whatever mode is set for the origin meanwhile")
    func stays() async throws {
        let container = try await container()
        let page = try await container.open("https://part.example/app/")
        let place = "containerkit://part.example/"
        page.view.onSignal?(.committed(url: place + "app/"))
        try container.setMode(nil, ofOrigin: "https://part.example/")
        let answer = try await fixture.answer(
            to: place + "other", from: page.view, isMainDocument: true, of: container)
        #expect(answer.sink.text == "network https://part.example/other")
        await container.close(page)
        await container.shutDown()
    }

    @Test("A page that is sent to a real URL shares the pinned generations before it navigates")
    func led() async throws {
        let container = try await container()
        let page = try await container.open(named)
        page.view.onSignal?(.committed(url: "containerkit://s.shop.example/"))
        try await fixture.install(["x": "one"], version: "1", base: shop, into: container)
        let other = try await container.open(shop)
        try await fixture.install(["x": "two"], version: "2", base: shop, into: container)
        let later = try await container.open(named)
        #expect(container.openPages.last?.generations != other.session.generations)
        let answer = try await fixture.answer(
            to: "containerkit://m.shop.example/a", from: later.view, isMainDocument: true, of: container)
        #expect(answer.sink.text.contains("location.replace"))
        #expect(container.openPages.last?.generations == other.session.generations)
        await container.close(other)
        #expect(try await sendRequest(shop + "x", [:], of: container).text == "one", "until the page has committed")
        await container.close(later)
        #expect(try await sendRequest(shop + "x", [:], of: container).text == "two")
        await container.close(page)
        await container.shutDown()
    }

    @Test("Before a page is sent to a real URL, the engine removes files of other generations")
    func settles() async throws {
        let container = try await container()
        let page = try await container.open(named)
        page.view.onSignal?(.committed(url: "containerkit://s.shop.example/"))
        // Clearing fails while no page uses loopback, so that the next page must retry it.
        fixture.engine.removeFilesError = EngineError(.storage, "not now")
        let events = container.events
        try await fixture.install(["x": "one"], version: "1", base: shop, into: container)
        for await case .engineCachesKept in events { break }
        fixture.engine.removeFilesError = nil
        let before = fixture.engine.removedFiles.count
        _ = try await fixture.answer(
            to: "containerkit://m.shop.example/a", from: page.view, isMainDocument: true, of: container)
        #expect(fixture.engine.removedFiles.count == before + 1)
        await container.close(page)
        await container.shutDown()
    }
}
