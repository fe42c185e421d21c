// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import HTTPTypes
import RequestPipeline
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies of the app's own storage and those of pages, in each mode.
@MainActor
@Suite("Native cookies of a container", .timeLimit(.minutes(1)))
struct NativeCookieTests {
    private let fixture = Fixture()
    private let storage: HTTPCookieStorage

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    }

    private func container(_ mode: InterceptionMode) async throws -> Container<FakeEngine> {
        if mode != .customScheme { fixture.engine.traits = Self.own }
        return try await fixture.container(covering: ["shop.example"]) { configuration in
            configuration.pages.mode = mode
            configuration.network.cookies.native = .storage(storage)
        }
    }

    /// The traits of an engine that stores the cookies of pages itself.
    private static let own = EngineTraits(
        bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
        identifiesPage: false, acceptLanguage: nil)

    private func put(_ name: String, _ value: String) throws {
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: "shop.example", .path: "/",
        ]
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }

    private var inStorage: [String] { (storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted() }
    private var inEngine: [String] { fixture.engine.jar.cookies.map { "\($0.name)=\($0.value)" }.sorted() }

    @Test(
        "A login of the app is in the engine before the first page opens, and cookies of pages are in the storage",
        arguments: [InterceptionMode.plain, .customScheme, .document, .loopbackProxy, .loopbackServer])
    func stores(_ mode: InterceptionMode) async throws {
        try put("login", "1")
        let container = try await container(mode)
        _ = try await container.open("https://shop.example/")
        #expect(inEngine.contains("login=1"))
        try put("login", "2")
        _ = try await container.open("https://shop.example/")
        #expect(inEngine.contains("login=2") && !inEngine.contains("login=1"))
        try await fixture.engine.jar.set(
            EngineCookie(name: "page", value: "1", domain: ".shop.example", isSecure: true, isHTTPOnly: true))
        await container.synchronizeCookies()
        #expect(inStorage == ["login=2", "page=1"])
        let page = try #require(storage.cookies?.first { $0.name == "page" })
        #expect(page.domain == ".shop.example" && page.isSecure && page.isHTTPOnly)
        // Deletions reach the other side in both directions.
        for cookie in storage.cookies ?? [] where cookie.name == "login" { storage.deleteCookie(cookie) }
        try await fixture.engine.jar.remove(name: "page", domain: ".shop.example", path: "/")
        await container.synchronizeCookies()
        #expect(inStorage == [] && !inEngine.contains("login=2"))
        let counters = try #require(await container.cookieCounters()).reconciliation
        #expect(counters.abandoned == 0 && counters.refused == 0)
        await container.shutDown()
    }

    @Test("The access token of the local server is not in the app's storage, and clearing does not remove it")
    func token() async throws {
        let container = try await container(.loopbackServer)
        _ = try await container.open("https://shop.example/")
        await container.synchronizeCookies()
        let token = inEngine
        #expect(!token.isEmpty && inStorage == [])
        try put("login", "1")
        try await fixture.engine.jar.set(EngineCookie(name: "page", value: "1", domain: "shop-example.localhost"))
        await container.synchronizeCookies()
        #expect(inStorage == ["login=1", "page=1"])
        try await container.clearAllCookies()
        #expect(inStorage == [] && inEngine == token)
        await container.shutDown()
    }

    @Test("A request of an open page carries the cookies of a login during the page")
    func request() async throws {
        let container = try await container(.customScheme)
        let page = try await container.open("https://shop.example/")
        fixture.network.put(.bytes(Data()), at: "https://shop.example/api")
        try put("login", "1")
        _ = try await fixture.answer(to: "containerkit://shop.example/api", from: page.view, of: container)
        #expect(fixture.network.requests.withLock { $0.last?.headerFields[.cookie] } == "login=1")
        // The response of a page sets a cookie, which the storage has as well.
        fixture.network.put(.bytes(Data()), at: "https://shop.example/set", [.setCookie: "page=1; HttpOnly; Secure"])
        _ = try await fixture.answer(to: "containerkit://shop.example/set", from: page.view, of: container)
        await container.synchronizeCookies()
        #expect(inStorage == ["login=1", "page=1"])
        await container.shutDown()
    }

    @Test("Clearing an account and signing out clear the app's storage", arguments: [false, true])
    func clearing(signsOut: Bool) async throws {
        let container = try await container(.document)
        _ = try await container.open("https://shop.example/")
        try put("login", "1")
        if signsOut {
            try await container.signOut(of: ["shop.example"])
        } else {
            try await container.clearAccount(domains: ["shop.example"])
        }
        #expect(inStorage == [] && inEngine == [])
        _ = try await container.open("https://shop.example/")
        #expect(inStorage == [] && inEngine == [])
        await container.shutDown()
    }

    @Test("Without the option the storage is not touched, and no store is synchronized")
    func none() async throws {
        try put("login", "1")
        fixture.engine.traits = Self.own
        let container = try await fixture.container(covering: ["shop.example"]) { $0.pages.mode = .document }
        _ = try await container.open("https://shop.example/")
        try await container.clearAllCookies()
        #expect(inStorage == ["login=1"] && inEngine == [])
        #expect(await container.cookieCounters() == nil)
        #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/store/native-cookies.json"))
        await container.shutDown()
    }

    @Test("A cookie stays hidden from scripts after a relaunch in which Foundation has lost the attribute")
    func relaunch() async throws {
        let end = Date(timeIntervalSinceNow: 600)
        do {
            let container = try await container(.document)
            _ = try await container.open("https://shop.example/")
            try await fixture.engine.jar.set(
                EngineCookie(
                    name: "id", value: "1", domain: "shop.example", expires: Int64(end.timeIntervalSince1970),
                    isSecure: true, isHTTPOnly: true, sameSite: .strict))
            await container.synchronizeCookies()
            await container.shutDown()
        }
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "id", .value: "1", .domain: "shop.example", .path: "/", .expires: end,
        ]
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
        // The engine does not keep its cookies, so the storage is the only source.
        try await fixture.engine.jar.remove(name: "id", domain: "shop.example", path: "/")
        let container = try await container(.document)
        _ = try await container.open("https://shop.example/")
        let cookie = try #require(fixture.engine.jar.cookies.first)
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == .strict)
        await container.shutDown()
    }
}
