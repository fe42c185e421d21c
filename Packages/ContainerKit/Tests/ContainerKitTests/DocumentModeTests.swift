// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import Prefetch
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// The mode `document` in a container, with the HTTP cache and prefetches.
@MainActor
@Suite("Document mode in a container", .timeLimit(.minutes(1)))
struct DocumentModeTests {
    private let fixture = Fixture()
    private let url = "https://shop.example/?id=7"
    private let api = "https://shop.example/api?id=7"

    private func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        fixture.engine.traitsByMode[.document] = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: false, caches: false,
            identifiesPage: true, acceptLanguage: "de")
        return try await fixture.container(covering: ["shop.example", "api.example"]) {
            $0.pages.mode = .document
            $0.network.httpCache = HTTPCacheOptions()
            change(&$0)
        }
    }

    private func put(_ text: String, _ fields: HTTPFields) {
        var fields = fields
        fields[.contentType] = "text/html; charset=utf-8"
        fixture.network.put(.bytes(Data(text.utf8)), at: url, fields)
    }

    /// Returns the document that the container gives for a navigation of a page.
    private func document(
        in page: Page<FakeView>, at url: String? = nil, _ fields: HTTPFields = [:], isReload: Bool = false
    ) async -> EngineDocument? {
        var fields = fields
        fields[.userAgent] = "Fake"
        do {
            return try await page.view.onNavigation?(
                EngineNavigation(
                    to: url ?? self.url, fields: fields, isReload: isReload, isOfApp: true, mayBeOfFrame: false))
        } catch {
            Issue.record(error)
            return nil
        }
    }

    private func lastRequest() -> HTTPRequest? { fixture.network.requests.withLock(\.last) }

    // MARK: HTTP cache

    @Test("A fresh document comes from the HTTP cache, and a reload validates it")
    func fresh() async throws {
        put("one", [.cacheControl: "private, max-age=600", .eTag: "\"1\""])
        let container = try await container()
        let page = try await container.open(url)
        #expect(await document(in: page)?.html == "one")
        put("two", [.cacheControl: "max-age=600", .eTag: "\"2\""])
        #expect(await document(in: page)?.html == "one")
        #expect(fixture.network.urls == [url])
        #expect(await document(in: page, isReload: true)?.html == "two")
        #expect(lastRequest()?.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(lastRequest()?.headerFields[.cacheControl] == "max-age=0")
        #expect(await document(in: page)?.html == "two")
        #expect(fixture.network.urls.count == 2)
        await container.shutDown()
    }

    @Test("A stale document is validated, and a 304 avoids the transfer")
    func stale() async throws {
        put("one", [.cacheControl: "no-cache", .eTag: "\"1\""])
        let container = try await container()
        let page = try await container.open(url)
        for _ in 0..<2 { #expect(await document(in: page)?.html == "one") }
        #expect(fixture.network.urls.count == 2 && lastRequest()?.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(container.counters.httpCache?.requests.validated == 1)
        await container.shutDown()
    }

    @Test("no-store documents are not stored, and Vary separates documents")
    func unstored() async throws {
        put("one", [.cacheControl: "no-store, max-age=600"])
        let container = try await container()
        let page = try await container.open(url)
        #expect(await document(in: page)?.html == "one")
        put("two", [.cacheControl: "max-age=600", .vary: "Accept-Language"])
        #expect(await document(in: page, [.acceptLanguage: "de"])?.html == "two")
        put("three", [.cacheControl: "max-age=600", .vary: "Accept-Language"])
        #expect(await document(in: page, [.acceptLanguage: "fr"])?.html == "three")
        #expect(await document(in: page, [.acceptLanguage: "de"])?.html == "two")
        #expect(fixture.network.urls.count == 3)
        await container.shutDown()
    }

    @Test("Documents that depend on cookies are separate in the cache")
    func cookies() async throws {
        put("one", [.cacheControl: "max-age=600", .vary: "Cookie"])
        let container = try await container()
        let page = try await container.open(url)
        #expect(await document(in: page)?.html == "one")
        fixture.engine.jar.put(EngineCookie(name: "a", value: "1", domain: "shop.example"))
        put("two", [.cacheControl: "max-age=600", .vary: "Cookie"])
        #expect(await document(in: page)?.html == "two")
        #expect(lastRequest()?.headerFields[.cookie] == "a=1")
        await container.shutDown()
    }

    @Test("Cookies of a document are in the engine before the document, also next to custom-scheme mode")
    func cookiesOfSeveralModes() async throws {
        put("one", [.cacheControl: "max-age=600", .setCookie: "a=1; Path=/"])
        let modes = [try PageMode("other.example", .customScheme)]
        let container = try await container { $0.pages.modes = modes }
        let page = try await container.open(url)
        #expect(await document(in: page)?.html == "one")
        #expect(fixture.engine.jar.cookies.map(\.name) == ["a"])
        // The cache stores the cookies of responses in the jar of custom-scheme pages, from where they arrive later.
        #expect(container.counters.httpCache?.requests.misses == 0)
        await container.shutDown()
    }

    @Test("Clearing the HTTP cache removes documents, and clears the cache of the engine")
    func cleared() async throws {
        put("one", [.cacheControl: "max-age=600"])
        let container = try await container()
        let page = try await container.open(url)
        #expect(await document(in: page)?.html == "one")
        put("two", [.cacheControl: "max-age=600"])
        await container.clearHTTPCache()
        #expect(fixture.engine.httpCacheClears == 1)
        #expect(await document(in: page)?.html == "two")
        await container.shutDown()
    }

    // MARK: Prefetch

    @Test("A prefetched GET of the page's origin is a held resource for the page's script, and answers its request")
    func prefetched() async throws {
        put("one", [:])
        let json = """
            {"code":200,"data":{"version":"1","config":[{"url":"https://shop.example/","interfaces":
            [{"api":"https://shop.example/api","urlParam":true},{"api":"https://api.example/api"}]}]}}
            """
        let table = try PrefetchTable(json: Data(json.utf8))
        let container = try await container {
            $0.network.prefetch = PrefetchOptions()
            $0.network.prefetch?.table = table
        }
        fixture.engine.jar.put(EngineCookie(name: "a", value: "1", domain: "shop.example"))
        let page = try await container.open(url)
        let script = try #require(await document(in: page)?.script)
        // The hash of "/api" is 0x0B81C40A.
        #expect(script.contains(#""https://shop.example":"CsSBCw=="#))
        func sendRequest(from origin: String) async -> FakeSink {
            await fixture.engine.request(
                "containerkit://shop.example/api?id=7", .get,
                [.accept: "*/*", .origin: origin, .referer: url, .userAgent: "Fake"], from: page.view)
        }
        // A document of another origin has no cookies, and must not read the response.
        let foreign = await sendRequest(from: "https://evil.example")
        #expect(foreign.fields[.accessControlAllowOrigin] == nil)
        let own = await sendRequest(from: "https://shop.example")
        #expect(own.body == Data("network \(api)".utf8))
        #expect(own.fields[.accessControlAllowOrigin] == "https://shop.example")
        #expect(own.fields[.accessControlAllowCredentials] == "true")
        let counters = try #require(container.counters.prefetch)
        #expect(counters.started == 1 && counters.hits + counters.joins == 1)
        let cookies = fixture.network.requests.withLock { requests in
            requests.filter { $0.urlText == api }.map { $0.headerFields[.cookie] ?? "" }
        }
        #expect(cookies.sorted() == ["", "a=1"])
        // The page's script sends requests to other origins itself.
        #expect(!fixture.network.urls.contains("https://api.example/api"))
        // A response answers one request. The script of the next document does not know it.
        #expect(await document(in: page)?.script.contains("CsSBCw==") == false)
        await container.shutDown()
    }
}
