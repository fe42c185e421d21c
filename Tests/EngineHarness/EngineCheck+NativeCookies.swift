// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import CookieBridge
internal import Foundation
internal import FoundationNetworking
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A site at which the app signs in with URLSession, and whose pages a container opens.
private struct LoginSite: Sendable {
    let origin: OriginServer
    private let cookies: CookieLog

    /// The log of the cookies of requests, by path.
    private final class CookieLog: Sendable {
        let fields = Mutex<[String: String]>([:])
    }

    static func start() async throws -> LoginSite {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let cookies = CookieLog()
        let answer: @Sendable (OriginRequest) -> OriginResponse = { request in
            cookies.fields.withLock { $0[request.path] = request.headers[.cookie] ?? "" }
            var response = OriginResponse.text("<!doctype html><title>page</title>", type: "text/html; charset=utf-8")
            response.headers[.cacheControl] = "no-store"
            switch request.path {
            case "/login": response.headers[.setCookie] = "login=1; Path=/; HttpOnly"
            case "/keep": response.headers[.setCookie] = "kept=1; Path=/; Expires=Thu, 31 Dec 2099 23:59:59 GMT"
            case "/set": response.headers[.setCookie] = "answer=1; Path=/; Max-Age=600"
            default: break
            }
            return response
        }
        let origin = try await OriginServer.start(
            OriginServer.Configuration(routes: [OriginRoute(.get, any) { answer($0) }]))
        return LoginSite(origin: origin, cookies: cookies)
    }

    var url: String { "http://127.0.0.1:\(origin.port)" }

    /// Requests a path as the app does.
    func request(_ path: String, with session: URLSessionConfiguration) async throws {
        guard let url = URL(string: url + path) else { throw CheckFailure(description: "not a URL") }
        _ = try await URLSession(configuration: session).data(from: url)
    }

    /// Returns the cookies of the last request for a path (`name=value`), sorted.
    func sent(_ path: String) -> [String] {
        let field = cookies.fields.withLock { $0[path] } ?? ""
        return field.isEmpty ? [] : field.components(separatedBy: "; ").sorted()
    }
}

// The cookie storage of the app and the cookies of pages.
extension EngineCheck {
    /// Checks that a login by URLSession is part of the first navigation of a page, that cookies of the page reach the
    /// storage and the requests of the app, that deletions work in both directions, and that a relaunch writes nothing.
    ///
    /// The second argument is the storage: none for one in memory, `shared` for the shared one, and `again` for the
    /// shared one after a check with `shared`. The file of the shared storage must be in the folder of the check.
    @MainActor
    func checkNativeCookies(
        _ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String
    ) async throws {
        guard let mode = arguments.first.flatMap({ CheckedMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify a mode: \(CheckedMode.names)")
        }
        let kind = arguments.dropFirst().first
        let site = try await LoginSite.start()
        let session: URLSessionConfiguration = kind == nil ? .ephemeral : .default
        guard let storage = session.httpCookieStorage else { throw CheckFailure(description: "no storage") }
        var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
        if kind == nil {
            configuration.network.cookies.native = .storage(storage)
        } else {
            let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
            try expect(data.hasPrefix(folder), "the storage of another program: \(data)")
            try expect(storage === HTTPCookieStorage.shared, "sessions do not use the shared storage")
        }
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = ["127.0.0.1:\(site.origin.port)"].compactMap { HostPattern($0) }
        guard kind != "again" else {
            try await checkKeptLogin(site, try await Container(engine: engine, configuration: configuration))
            return
        }
        try expect(stored(in: storage) == [], "before the login: \(stored(in: storage))")
        do {
            let container = try await Container(engine: engine, configuration: configuration)
            try await checkLogin(site, session, storage, in: container)
            await container.shutDown()
        }

        let next = try await Container(engine: engine, configuration: configuration)
        let third = try await open(site.url + "/third", in: next)
        try expect(site.sent("/third") == ["answer=1"], "sent third: \(site.sent("/third"))")
        let counters = await next.cookieCounters()
        // With an engine in memory, no file has the sites of the local server. So their cookie is set again in memory.
        let writes = mode == .server ? 1 : 0
        try expect(counters?.reconciliation.writes == writes, "\(String(describing: counters))")
        try await next.clearAccount(domains: ["127.0.0.1"])
        try expect(stored(in: storage) == [], "after clearing: \(stored(in: storage))")
        await next.close(third)
        await next.shutDown()
        // The next process has this login.
        try await site.request("/keep", with: session)
        try expect(stored(in: storage) == ["kept=1"], "after the last login: \(stored(in: storage))")
        await site.origin.stop()
    }

    /// Checks that a login of an earlier process of the app is part of the first navigation.
    @MainActor
    private func checkKeptLogin(_ site: LoginSite, _ container: Container<WebKitGTKEngine>) async throws {
        let page = try await open(site.url + "/first", in: container)
        try expect(site.sent("/first") == ["kept=1"], "sent first: \(site.sent("/first"))")
        await container.close(page)
        await container.shutDown()
        await site.origin.stop()
    }

    @MainActor
    private func checkLogin(
        _ site: LoginSite, _ session: URLSessionConfiguration, _ storage: HTTPCookieStorage,
        in container: Container<WebKitGTKEngine>
    ) async throws {
        try await site.request("/login", with: session)
        try expect(stored(in: storage) == ["login=1"], "after the login: \(stored(in: storage))")
        let page = try await open(site.url + "/first", in: container)
        try expect(site.sent("/first") == ["login=1"], "sent first: \(site.sent("/first"))")
        let seen = try await page.view.evaluate(
            """
            document.cookie = 'page=1; Path=/';
            await fetch('/set');
            return document.cookie.split('; ').sort().join();
            """, in: .page)
        try expect(seen == #""answer=1,page=1""#, "seen by scripts: \(seen)")
        try await synchronize(container, storage, to: ["answer=1", "login=1", "page=1"])
        try await site.request("/app", with: session)
        try expect(site.sent("/app") == ["answer=1", "login=1", "page=1"], "sent by the app: \(site.sent("/app"))")

        for cookie in storage.cookies ?? [] where cookie.name == "login" { storage.deleteCookie(cookie) }
        _ = try await page.view.evaluate("document.cookie = 'page=; Path=/; Max-Age=0'", in: .page)
        try await synchronize(container, storage, to: ["answer=1"])
        await container.close(page)
        let second = try await open(site.url + "/second", in: container)
        try expect(site.sent("/second") == ["answer=1"], "sent second: \(site.sent("/second"))")
        await container.close(second)
    }

    private func stored(in storage: HTTPCookieStorage) -> [String] {
        (storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted()
    }

    /// Synchronizes the stores until the storage has the cookies. The engine may report a change of a page late.
    @MainActor
    private func synchronize(
        _ container: Container<WebKitGTKEngine>, _ storage: HTTPCookieStorage, to cookies: [String]
    ) async throws {
        for _ in 1...50 where stored(in: storage) != cookies { await container.synchronizeCookies() }
        try expect(stored(in: storage) == cookies, "in the storage: \(stored(in: storage)), not \(cookies)")
    }
}
