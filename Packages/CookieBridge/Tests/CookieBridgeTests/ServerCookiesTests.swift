// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import CookieJar
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @_spi(Testing) @testable import CookieBridge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies of the app's storage, of real hosts in the engine, and of the sites of a local server.
@MainActor
@Suite("Cookies of the local server", .timeLimit(.minutes(5)))
struct ServerCookiesTests {
    private let store = FakeCookies()
    private let storage: HTTPCookieStorage
    private let folder: TemporaryFolder
    private let shop = "https://shop.example.com/"
    private let api = "https://api.example.com/"

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        folder = try TemporaryFolder()
    }

    /// - Parameter clock: the clock of waits and limits. By default, it stands still, because the tests share the main
    ///   actor with others, which may occupy it for longer than the limits.
    private func synchronizer(
        clock: any Clock<Duration> = ManualClock()
    ) async throws -> CookieSynchronizer {
        var options = CookieOptions()
        options.native = .storage(storage)
        let synchronizer = CookieSynchronizer(
            options, directory: folder.path, hasJar: false, engine: store, localServerToken: "token",
            clock: clock, delegate: NoDelegate())
        try await synchronizer.start()
        await synchronizer.synchronize()
        return synchronizer
    }

    /// Puts a cookie into the app's storage; a domain with a leading dot includes subdomains.
    private func put(_ name: String, _ value: String, _ domain: String, isSecure: Bool = false) throws {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: "/", .expires: Date(timeIntervalSinceNow: 600),
        ]
        if isSecure { properties[.secure] = "TRUE" }
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }

    /// Sets a cookie as a page at the local server does.
    private func set(_ name: String, _ value: String, at domain: String, isSecure: Bool = false) async throws {
        let end = Int64(Date(timeIntervalSinceNow: 600).timeIntervalSince1970)
        try await store.set(
            EngineCookie(name: name, value: value, domain: domain, expires: end, isSecure: isSecure))
    }

    private func cookies(at domain: String) -> [String] {
        store.cookies.filter { $0.domain == domain }.map { "\($0.name)=\($0.value)" }.sorted()
    }

    private var inStorage: [String] {
        (storage.cookies ?? []).map { "\($0.name)=\($0.value) \($0.domain)" }.sorted()
    }

    @Test("A site gets the cookies of its host before its pages load, and changes afterwards")
    func copies() async throws {
        try put("host", "1", "shop.example.com")
        try put("all", "1", ".example.com")
        try put("other", "1", "api.example.com")
        let synchronizer = try await synchronizer()
        #expect(cookies(at: "shop.localhost") == [])
        try await synchronizer.serve(shop, named: "shop.localhost")
        #expect(cookies(at: "shop.localhost") == ["host=1"] && cookies(at: ".shop.localhost") == ["all=1"])
        try put("all", "2", ".example.com")
        for cookie in storage.cookies ?? [] where cookie.name == "host" { storage.deleteCookie(cookie) }
        await synchronizer.synchronize()
        #expect(cookies(at: "shop.localhost") == [] && cookies(at: ".shop.localhost") == ["all=2"])
        await synchronizer.shutDown()
    }

    @Test("Changes of a page at one site reach the storage, the real host, and the other sites; deletions included")
    func changes() async throws {
        try put("all", "1", ".example.com")
        let synchronizer = try await synchronizer()
        try await synchronizer.serve(shop, named: "shop.localhost")
        try await synchronizer.serve(api, named: "api.localhost")
        try await set("page", "1", at: "shop.localhost")
        try await set("all", "2", at: ".shop.localhost")
        await synchronizer.synchronize()
        #expect(inStorage == ["all=2 .example.com", "page=1 shop.example.com"])
        #expect(cookies(at: ".api.localhost") == ["all=2"] && cookies(at: ".example.com") == ["all=2"])
        #expect(cookies(at: "api.localhost") == [] && cookies(at: "shop.example.com") == ["page=1"])
        try await store.remove(name: "all", domain: ".api.localhost", path: "/")
        await synchronizer.synchronize()
        #expect(inStorage == ["page=1 shop.example.com"] && cookies(at: ".shop.localhost") == [])
        let writes = store.writes
        for _ in 1...3 { await synchronizer.synchronize() }
        #expect(store.writes == writes)
        await synchronizer.shutDown()
    }

    @Test("A response sets a cookie for the domain that it names")
    func domains() async throws {
        let synchronizer = try await synchronizer()
        try await synchronizer.serve(shop, named: "shop.localhost")
        synchronizer.record(
            setCookies: ["all=1; Domain=example.com", "host=1", "bad=1; Domain=com"], from: shop, at: "shop.localhost")
        try await set("all", "1", at: ".shop.localhost")
        try await set("host", "1", at: "shop.localhost")
        // The response names no domain, as if a script had set the cookie.
        try await set("script", "1", at: ".shop.localhost")
        await synchronizer.synchronize()
        #expect(
            inStorage == ["all=1 .example.com", "host=1 shop.example.com", "script=1 .shop.example.com"])
        await synchronizer.shutDown()
    }

    @Test("After a launch, cookies of sites without an open page are known; a removal reaches them")
    func relaunch() async throws {
        let first = try await synchronizer()
        try await first.serve(shop, named: "shop.localhost")
        first.record(setCookies: ["all=1; Domain=example.com"], from: shop, at: "shop.localhost")
        let end = Int64(Date(timeIntervalSinceNow: 600).timeIntervalSince1970)
        for (name, domain) in [("all", ".shop.localhost"), ("host", "shop.localhost")] {
            store.put(EngineCookie(name: name, value: "1", domain: domain, expires: end))
        }
        // The process ends before the container has read the cookies.
        await first.shutDown()
        #expect(inStorage == [])

        let second = try await synchronizer()
        let writes = store.writes
        await second.synchronize()
        #expect(store.writes == writes)
        #expect(inStorage == ["all=1 .example.com", "host=1 shop.example.com"])
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        await second.synchronize()
        #expect(store.cookies.isEmpty)
        try await second.serve(shop, named: "shop.localhost")
        await second.synchronize()
        #expect(store.cookies.isEmpty && inStorage == [])
        await second.shutDown()
    }

    @Test("Without the record, an old copy does not replace the cookie of the app")
    func withoutRecord() async throws {
        try await set("login", "old", at: "shop.localhost")
        try put("login", "new", "shop.example.com")
        let synchronizer = try await synchronizer()
        try await synchronizer.serve(shop, named: "shop.localhost")
        await synchronizer.synchronize()
        #expect(cookies(at: "shop.localhost") == ["login=new"] && inStorage == ["login=new shop.example.com"])
        await synchronizer.shutDown()
    }

    @Test("Secure cookies do not reach a site of an http origin, which can neither set nor replace them")
    func httpOrigins() async throws {
        try put("id", "1", "shop.example.com", isSecure: true)
        let synchronizer = try await synchronizer()
        try await synchronizer.serve("http://shop.example.com/", named: "plain.localhost")
        #expect(cookies(at: "plain.localhost") == [])
        try await set("id", "2", at: "plain.localhost")
        try await set("id", "3", at: ".plain.localhost")
        try await set("new", "1", at: "plain.localhost", isSecure: true)
        try await set("page", "1", at: "plain.localhost")
        await synchronizer.synchronize()
        #expect(inStorage == ["id=1 shop.example.com", "page=1 shop.example.com"])
        #expect(cookies(at: "plain.localhost") == ["page=1"])
        await synchronizer.shutDown()
    }

    @Test("The token of the server reaches no other store, and no cookie of its name reaches the server")
    func token() async throws {
        try put("token", "app", "shop.example.com")
        let synchronizer = try await synchronizer()
        try await store.set(EngineCookie(name: "token", value: "secret", domain: "shop.localhost"))
        try await synchronizer.serve(shop, named: "shop.localhost")
        await synchronizer.synchronize()
        #expect(cookies(at: "shop.localhost") == ["token=secret"] && inStorage == ["token=app shop.example.com"])
        try await set("other", "1", at: "unknown.localhost")
        try await synchronizer.clear(.all)
        #expect(store.cookies.map(\.value) == ["secret"] && inStorage == [])
        await synchronizer.shutDown()
    }

    @Test("Clearing a host removes its copies, and leaves those of its domain")
    func clearing() async throws {
        try put("host", "1", "shop.example.com")
        try put("all", "1", ".example.com")
        let synchronizer = try await synchronizer()
        try await synchronizer.serve(shop, named: "shop.localhost")
        try await synchronizer.clear(.domains(["shop.example.com"]))
        await synchronizer.synchronize()
        #expect(cookies(at: "shop.localhost") == [] && cookies(at: ".shop.localhost") == ["all=1"])
        #expect(inStorage == ["all=1 .example.com"])
        await synchronizer.shutDown()
    }

    @Test("An engine that does not store a cookie fails the page in time, and gets the cookie later")
    func hangingEngine() async throws {
        try put("all", "1", ".example.com")
        let clock = ManualClock()
        let synchronizer = try await synchronizer(clock: clock)
        store.hangingNames = ["all"]
        var failure: (any Error)?
        var isServed = false
        let serving = Task {
            do { try await synchronizer.serve(shop, named: "shop.localhost") } catch { failure = error }
            isServed = true
        }
        while !isServed {
            // The limit of the read before the write is not reached.
            if store.hangingCalls > 0 { clock.advance(by: .seconds(10)) }
            await Task.yield()
        }
        await serving.value
        #expect((failure as? EngineError)?.code == .timedOut)
        store.hangingNames = []
        await synchronizer.synchronize()
        #expect(cookies(at: ".shop.localhost") == ["all=1"])
        await synchronizer.shutDown()
    }

    @Test("Clearing fails if the engine does not remove a copy, and is repeated")
    func stubbornCopy() async throws {
        try put("host", "1", "shop.example.com")
        let synchronizer = try await synchronizer(clock: ContinuousClock())
        try await synchronizer.serve(shop, named: "shop.localhost")
        store.stubborn = "host"
        await #expect(throws: CookieBridgeError.self) {
            try await synchronizer.clear(.domains(["shop.example.com"]))
        }
        store.stubborn = nil
        try await synchronizer.clear(.domains(["shop.example.com"]))
        #expect(store.cookies.isEmpty && inStorage == [])
        await synchronizer.shutDown()
    }

    @Test("A host without subdomains has no cookies with a domain")
    func singleLabel() async throws {
        let synchronizer = try await synchronizer()
        try await synchronizer.serve("https://intranet/", named: "intra.localhost")
        try await set("id", "1", at: ".intra.localhost")
        await synchronizer.synchronize()
        #expect(inStorage == ["id=1 intranet"] && cookies(at: "intra.localhost") == ["id=1"])
        #expect(cookies(at: ".intra.localhost") == [])
        await synchronizer.shutDown()
    }

    @Test("If the engine loses its cookies, sites get them again")
    func loss() async throws {
        try put("all", "1", ".example.com")
        let synchronizer = try await synchronizer()
        try await synchronizer.serve(shop, named: "shop.localhost")
        store.lose()
        for _ in 1...2 { await synchronizer.synchronize() }
        #expect(cookies(at: ".shop.localhost") == ["all=1"] && cookies(at: ".example.com") == ["all=1"])
        #expect(inStorage == ["all=1 .example.com"])
        await synchronizer.shutDown()
    }

    @Test("Random changes of the app, of pages at two sites and of responses converge, also over launches")
    func convergence() async throws {
        let names = ["a", "b"]
        let places = [
            ("shop.localhost", shop), (".shop.localhost", shop), ("api.localhost", api), (".api.localhost", api),
        ]
        // The record keeps the sites.
        var served: Set<String> = []
        for seed in 0..<4 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var current = try await synchronizer()
            var value = 0
            for round in 0..<9 {
                for name in ["shop", "api"] where generator.chance(40) {
                    try await current.serve("https://\(name).example.com/", named: "\(name).localhost")
                    served.insert(name)
                }
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    value += 1
                    let name = names.randomElement(using: &generator) ?? "a"
                    let (place, url) = places.randomElement(using: &generator) ?? places[0]
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: try put(name, "\(value)", generator.chance(50) ? ".example.com" : "shop.example.com")
                    case 1:
                        let gone = storage.cookies?.sorted { $0.domain < $1.domain }.first { $0.name == name }
                        if let gone { storage.deleteCookie(gone) }
                    case 2: try await store.remove(name: name, domain: place, path: "/")
                    default:
                        // Only pages of served sites set cookies.
                        let site = place.hasPrefix(".") ? String(place.dropFirst()) : place
                        try await current.serve(url, named: site)
                        served.insert(String(site.prefix { $0 != "." }))
                        if place.hasPrefix(".") {
                            current.record(setCookies: ["\(name)=; Domain=example.com"], from: url, at: site)
                        }
                        try await set(name, "\(value)", at: place)
                    }
                    if generator.chance(30) { await current.synchronize() }
                }
                for _ in 1...3 { await current.synchronize() }
                if generator.chance(15) {
                    await current.shutDown()
                    current = try await synchronizer()
                    for _ in 1...2 { await current.synchronize() }
                }
                let real = store.cookies.filter { !$0.domain.hasSuffix("localhost") }
                let copies = served.map { name in
                    real.count { [".example.com", "\(name).example.com"].contains($0.domain) }
                }
                #expect(store.cookies.count == real.count + copies.reduce(0, +), "seed \(seed), round \(round)")
                #expect(
                    real.map { "\($0.name)=\($0.value) \($0.domain)" }.sorted() == inStorage,
                    "seed \(seed), round \(round)")
                for copy in store.cookies where copy.domain.hasSuffix("localhost") {
                    let host = copy.domain.hasPrefix(".") ? ".example.com" : "\(copy.domain.dropLast(10)).example.com"
                    let owner = real.first { $0.name == copy.name && $0.domain == host }
                    #expect(owner?.value == copy.value, "seed \(seed), round \(round): \(copy)")
                }
                let writes = store.writes
                await current.synchronize()
                #expect(store.writes == writes, "seed \(seed), round \(round): an echo")
            }
            try await current.clear(.all)
            #expect(store.cookies.isEmpty && inStorage == [], "seed \(seed)")
            await current.shutDown()
        }
    }
}

private struct NoDelegate: CookieSynchronizerDelegate {
    func record(_ event: CookieSynchronizer.Event) {}
    func engineStoreChanged(isBehind: Bool) {}
}
