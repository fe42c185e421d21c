// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
@_spi(Testing) import CookieBridge
import Foundation
import Testing
@_spi(Driver) import WebKit

@testable import AdapterOverDouble

/// Cookies of the app before a container starts, by the rules of Apple's systems.
@MainActor
@Suite("Cookies of the app", .timeLimit(.minutes(2)))
struct AppCookieTests {
    private let id = UUID()
    private let fixture: Fixture
    /// A storage that outlives the containers, like the shared one.
    private let storage: HTTPCookieStorage
    private var cookies = CookieOptions()

    init() throws {
        fixture = Fixture(storage: .identified(id))
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        cookies.native = .storage(storage)
        // A storage that the app names reports no removals by default, and no storage does on Linux.
        cookies.reportsRemovals = true
    }

    /// Returns the names of the cookies that pages have. The adapter has cookies of its own for a host of its own.
    private func names() async -> [String] {
        await WKWebsiteDataStore(forIdentifier: id).httpCookieStore.allCookies()
            .filter { $0.domain == "shop.example" }.map(\.name).sorted()
    }

    private func signIn(_ name: String) throws -> HTTPCookie {
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: name, .value: "1", .domain: "shop.example", .path: "/",
                .expires: Date(timeIntervalSinceNow: 600),
            ]))
        storage.setCookie(cookie)
        return cookie
    }

    /// Opens a page in the container of an earlier launch, which is released.
    private func openFirst() async throws {
        let first = try await fixture.container(cookies: cookies)
        try await fixture.install(["index.html": "<h1>Shop</h1>"], version: "1", in: first)
        _ = try await fixture.open("https://shop.example/", in: first)
        await first.shutDown()
    }

    @Test("A sign-out before the start is part of the first page, and other cookies stay")
    func signOut() async throws {
        let login = try signIn("login")
        _ = try signIn("theme")
        try await openFirst()
        #expect(await names() == ["login", "theme"])

        storage.deleteCookie(login)
        let second = try await fixture.container(cookies: cookies)
        _ = try await fixture.open("https://shop.example/", in: second)
        #expect(await names() == ["theme"])
        #expect(storage.cookies?.map(\.name) == ["theme"])
        await second.shutDown()
    }

    @Test("Without reports of removals, the cookie stays in pages, as on Linux")
    mutating func withoutRemovals() async throws {
        cookies.reportsRemovals = false
        let login = try signIn("login")
        try await openFirst()

        storage.deleteCookie(login)
        let second = try await fixture.container(cookies: cookies)
        _ = try await fixture.open("https://shop.example/", in: second)
        #expect(await names() == ["login"])
        await second.shutDown()
    }
}
