// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Testing) internal import ContainerKit
@_spi(Facade) internal import CookieBridge
internal import Foundation
internal import FoundationNetworking
internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading
internal import SchemeRouter
internal import WebKitGTKAdapter

// Pages of the local server, with a network in memory.
extension EngineCheck {
    /// Checks that a page gets no response of another site, although the engine also has the token for that site. Both
    /// sites must not share cookies.
    @MainActor
    func checkServerSites(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder)
        var asked: [String] = []
        var refusals: [String] = []
        container.observe { event in
            switch event {
            case .request(let record): asked.append(record.url)
            case .loopback(.refused(let reason)): refusals.append("\(reason)")
            default: break
            }
        }
        let one = try await open("https://one.example/", in: container)
        let two = try await open("https://two.example/", in: container)
        let place = try await two.view.evaluate("return location.href", in: .page)
        let seen = try await one.view.evaluate(
            """
            document.cookie = 'mine=1';
            document.cookie = 'all=1; Domain=localhost';
            document.cookie = 'two=1; Domain=two-example.localhost';
            const script = document.createElement('script');
            const isRun = new Promise(done => { script.onload = () => done(true); script.onerror = () => done(false) });
            script.src = \(place);
            document.head.append(script);
            const ways = [{}, { mode: 'no-cors', credentials: 'include' }, { method: 'POST', body: 'x' }];
            const answers = await Promise.all(ways.map(way => fetch(\(place), way).then(
                answer => answer.type, error => error.name)));
            return [document.cookie, await isRun, ...answers].join(' ');
            """, in: .page)
        try expect(seen == "\"mine=1 false TypeError opaque TypeError\"", "the first site: \(seen)")
        let others = try await two.view.evaluate("return document.cookie", in: .page)
        try expect(others == "\"\"", "cookies at the second site: \(others)")
        await container.shutDown()
        try expect(asked.sorted() == ["https://one.example/", "https://two.example/"], "asked: \(asked)")
        try expect(refusals.count == 4, "refusals: \(refusals)")
    }

    /// Checks that pages of two hosts share the cookies of their domain with the app: a login of the app, and cookies
    /// that a response sets and removes.
    @MainActor
    func checkServerDomains(_ engine: WebKitGTKEngine, in folder: String) async throws {
        guard let storage = URLSessionConfiguration.ephemeral.httpCookieStorage,
            let login = HTTPCookie(properties: [.name: "login", .value: "1", .domain: ".shop.example", .path: "/"])
        else { throw CheckFailure(description: "no storage") }
        storage.setCookie(login)
        let sent = Mutex<[String: String]>([:])
        let transport = MemoryTransport { request in
            var response = TransportResponse.page("<title>page</title>")
            let path = request.path ?? ""
            sent.withLock { $0[(request.authority ?? "") + path] = request.headerFields[.cookie] ?? "" }
            switch path {
            case "/set": response.head.headerFields[.setCookie] = "wide=1; Domain=shop.example; Path=/; Max-Age=600"
            case "/unset": response.head.headerFields[.setCookie] = "login=; Domain=shop.example; Path=/; Max-Age=0"
            default: break
            }
            return response
        }
        let container = try await container(
            engine, in: folder, hosts: ["www.shop.example", "api.shop.example"], storage: .storage(storage), transport)
        let page = try await open("https://www.shop.example/", in: container)
        let first = sent.withLock { $0["www.shop.example/"] }
        try expect(first == "login=1", "sent first: \(first ?? "nothing")")
        let seen = try await page.view.evaluate(
            "await fetch('/set'); return document.cookie.split('; ').sort().join()", in: .page)
        try expect(seen == "\"login=1,wide=1\"", "seen by scripts: \(seen)")
        try await synchronize(container, storage, to: ["login=1 .shop.example", "wide=1 .shop.example"])
        let other = try await open("https://api.shop.example/", in: container)
        let second = sent.withLock { $0["api.shop.example/"] }?.components(separatedBy: "; ").sorted()
        try expect(second == ["login=1", "wide=1"], "sent second: \(second ?? [])")
        _ = try await other.view.evaluate("await fetch('/unset'); return 1", in: .page)
        try await synchronize(container, storage, to: ["wide=1 .shop.example"])
        let left = try await page.view.evaluate("return document.cookie", in: .page)
        try expect(left == "\"wide=1\"", "after the removal: \(left)")
        await container.shutDown()
    }

    /// Synchronizes the stores until the storage has the cookies. The engine may report a change of a page late.
    @MainActor
    private func synchronize(
        _ container: Container<WebKitGTKEngine>, _ storage: HTTPCookieStorage, to cookies: [String]
    ) async throws {
        var stored: [String] { (storage.cookies ?? []).map { "\($0.name)=\($0.value) \($0.domain)" }.sorted() }
        for _ in 1...50 where stored != cookies { await container.synchronizeCookies() }
        try expect(stored == cookies, "in the storage: \(stored), not \(cookies)")
    }

    /// Checks that stored data of a page exists in the next launch, because its origin is the same.
    /// - Parameter expected: The number of launches including this one.
    @MainActor
    func checkServerLaunch(_ expected: String, in folder: String) async throws {
        var settings = WebKitGTKEngine.Configuration()
        settings.storage = .directory(path: folder + "/engine")
        let container = try await container(WebKitGTKEngine(settings), in: folder)
        let page = try await open("https://one.example/", in: container)
        let launches = try await page.view.evaluate(
            "return localStorage.launches = +(localStorage.launches ?? 0) + 1", in: .page)
        try expect(launches == expected, "launches: \(launches)")
        // The engine writes the data with a delay.
        await container.close(page)
        await container.shutDown()
    }

    @MainActor
    private func container(
        _ engine: WebKitGTKEngine, in folder: String, hosts: [String] = ["one.example", "two.example"],
        storage: NativeCookieStorage = .none,
        _ transport: MemoryTransport = MemoryTransport { _ in .page("<title>page</title>") }
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = storage
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .loopbackServer
        configuration.network.coveredHosts = hosts.compactMap { HostPattern($0) }
        return try await Container(engine: engine, configuration: configuration)
    }
}
