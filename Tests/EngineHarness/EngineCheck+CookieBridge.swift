// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import CookieBridge
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A covered and an uncovered site of the same domain in one engine.
@MainActor
private final class CookieSites {
    let engine: WebKitGTKEngine
    let container: Container<WebKitGTKEngine>
    private let plain: ProxySite
    private let proxy: ForwardProxy
    private let asked: Asked

    /// The log of the header fields of requests to the network, by path.
    private final class Asked: Sendable {
        let fields = Mutex<[String: HTTPFields]>([:])
    }

    init(_ engine: WebKitGTKEngine, in folder: String) async throws {
        self.engine = engine
        let asked = Asked()
        self.asked = asked
        let transport = MemoryTransport { request in
            asked.fields.withLock { $0[request.path ?? ""] = request.headerFields }
            var answer = TransportResponse.page("<p>")
            answer.head.headerFields[.cacheControl] = "no-store"
            switch request.path {
            case "/set":
                answer.head.headerFields[.setCookie] = "answer=1; Domain=shop.example; Path=/; HttpOnly; Max-Age=600"
            case "/unset": answer.head.headerFields[.setCookie] = "answer=; Domain=shop.example; Path=/; Max-Age=0"
            default: break
            }
            return answer
        }
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .customScheme
        configuration.network.coveredHosts = [HostPattern("m.shop.example")].compactMap(\.self)
        container = try await Container(engine: engine, configuration: configuration)
        plain = try await ProxySite.start()
        proxy = try await ForwardProxy.start(plain.configuration(nil))
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        try await plain.trust(for: ["www.shop.example"], in: engine)
    }

    /// Opens a covered page.
    /// - Returns: The page, and the cookies of the page's request (`name=value`), sorted by name.
    func open(_ path: String) async throws -> (page: Page<WebKitGTKView>, sent: [String]) {
        let page = try await container.open("https://m.shop.example\(path)")
        try await page.load.finished(within: .seconds(20))
        return (page, Self.cookies(fields(of: path)[.cookie]))
    }

    /// Opens a page that the engine loads itself.
    func openPlain(_ path: String) async throws -> (page: Page<WebKitGTKView>, sent: [String]) {
        let page = try await container.open("https://www.shop.example\(path)")
        try await page.load.finished(within: .seconds(20))
        return (page, Self.cookies(try await plain.request(path).headers[.cookie]))
    }

    /// Makes a new network process trust the plain site.
    func trustAgain() async throws {
        try await plain.trust(for: ["www.shop.example"], in: engine)
    }

    func fields(of path: String) -> HTTPFields {
        asked.fields.withLock { $0[path] ?? [:] }
    }

    func stored() async throws -> [String] {
        try await engine.cookies.all().map { "\($0.name)=\($0.value)" }.sorted()
    }

    func stop() async {
        await container.shutDown()
        engine.setProxy(nil)
        await proxy.stop()
        await plain.origin.stop()
    }

    private static func cookies(_ field: String?) -> [String] {
        field?.components(separatedBy: "; ").sorted() ?? []
    }
}

// Cookies of pages in custom-scheme mode and cookies of the engine.
extension EngineCheck {
    @MainActor
    func checkCookieBridge(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let sites = try await CookieSites(engine, in: folder)
        let end = Int64(Date().timeIntervalSince1970) + 600
        try await engine.cookies.set(
            EngineCookie(name: "native", value: "1", domain: ".shop.example", expires: end, isSecure: true))
        try await engine.cookies.set(
            EngineCookie(name: "hidden", value: "1", domain: ".shop.example", isHTTPOnly: true, sameSite: .strict))

        // The app's cookies are part of the first navigation, and visible to scripts unless `HttpOnly`.
        let (page, sent) = try await sites.open("/first")
        try expect(sent == ["hidden=1", "native=1"], "sent first: \(sent)")
        let seen = try await page.view.evaluate("return document.cookie", in: .page)
        try expect(seen == #""native=1""#, "seen first: \(seen)")

        // The response to a request with the legacy wait field arrives after its cookies are stored.
        let marker = try await page.view.evaluate(
            """
            document.cookie = 'script=1; Domain=shop.example; Path=/'
            await fetch('/set', {headers: {'x-wkwebview-request-type': '1'}})
            return document.cookie.split('; ').sort().join()
            """, in: .page)
        try expect(marker == #""native=1,script=1""#, "seen after the answer: \(marker)")
        // The response waits only until its own cookies are stored; other changes may still be pending.
        var stored = try await sites.stored()
        try expect(
            Set(stored).subtracting(["script=1"]) == ["answer=1", "hidden=1", "native=1"], "in the engine: \(stored)")
        let answer = try await engine.cookies.all().first { $0.name == "answer" }
        try expect(answer?.isHTTPOnly == true && answer?.domain == ".shop.example", "\(String(describing: answer))")
        let fields = sites.fields(of: "/set")
        try expect(
            HTTPField.Name("x-wkwebview-request-type").map { !fields.contains($0) } == true, "the field left: \(fields)"
        )

        // A page that the engine loads itself has all cookies, and its changes reach the container.
        let (plain, plainSent) = try await sites.openPlain("/plain")
        try expect(
            plainSent == ["answer=1", "hidden=1", "native=1", "script=1"], "sent by the plain page: \(plainSent)")
        _ = try await plain.view.evaluate(
            """
            document.cookie = 'plain=1; Domain=shop.example; Path=/'
            document.cookie = 'script=; Domain=shop.example; Path=/; Max-Age=0'
            return document.cookie
            """, in: .page)
        try await engine.cookies.remove(name: "native", domain: ".shop.example", path: "/")
        let (second, secondSent) = try await sites.open("/second")
        try expect(secondSent == ["answer=1", "hidden=1", "plain=1"], "sent second: \(secondSent)")
        _ = try await second.view.evaluate(
            "await fetch('/unset', {headers: {'x-wkwebview-request-type': '1'}})", in: .page)
        stored = try await sites.stored()
        try expect(stored == ["hidden=1", "plain=1"], "left in the engine: \(stored)")

        // Each change was written once: two of the app, three of pages, and three deletions.
        let counters = await sites.container.cookieCounters()
        try expect(
            counters?.reconciliation.writes == 8 && counters?.reconciliation.abandoned == 0,
            "\(String(describing: counters))")
        try await checkClearing(sites)
        await sites.stop()
    }

    /// Checks that the container restores the engine's cookies before the next page opens, after the network process
    /// was killed.
    @MainActor
    func checkCookieLoss(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let sites = try await CookieSites(engine, in: folder)
        let end = Int64(Date().timeIntervalSince1970) + 600
        try await engine.cookies.set(
            EngineCookie(name: "native", value: "1", domain: ".shop.example", expires: end, isSecure: true))
        let (page, _) = try await sites.open("/first")
        _ = try await page.view.evaluate("document.cookie = 'script=1; Domain=shop.example; Path=/'", in: .page)
        _ = try await page.view.evaluate("await fetch('/set')", in: .page)
        _ = try await sites.openPlain("/plain")
        let all = ["answer=1", "native=1", "script=1"]
        var stored = try await sites.stored()
        try expect(stored == all, "stored: \(stored)")

        // The second round checks that the loss is detected again.
        for round in 1...2 {
            let processes = try childProcesses(named: "WebKitNetworkPr")
            try expect(processes.count == 1, "network processes: \(processes)")
            kill(processes[0], SIGKILL)
            // The engine may or may not have detected the loss; a page that opens now waits for the cookies.
            _ = try await sites.container.open("https://m.shop.example/after\(round)")
            stored = try await sites.stored()
            try expect(stored == all, "after the network process's end: \(stored)")
            let (next, sent) = try await sites.open("/next\(round)")
            let seen = try await next.view.evaluate("return document.cookie.split('; ').sort().join()", in: .page)
            try expect(sent == all && seen == #""native=1,script=1""#, "sent: \(sent), seen: \(seen)")
            let counters = await sites.container.cookieCounters()
            try expect(counters?.reconciliation.losses == round, "\(String(describing: counters))")
        }
        // The engine sends the cookies, and changes by its pages are observed.
        try await sites.trustAgain()
        let (plain, sent) = try await sites.openPlain("/again")
        try expect(sent == all, "sent by the engine: \(sent)")
        _ = try await plain.view.evaluate(
            """
            document.cookie = 'plain=1; Domain=shop.example; Path=/'
            document.cookie = 'script=; Domain=shop.example; Path=/; Max-Age=0'
            return document.cookie
            """, in: .page)
        let (_, last) = try await sites.open("/last")
        try expect(last == ["answer=1", "native=1", "plain=1"], "sent last: \(last)")
        await sites.stop()
    }

    @MainActor
    private func checkClearing(_ sites: CookieSites) async throws {
        try await sites.container.clearAccount(domains: ["shop.example"])
        var stored = try await sites.stored()
        try expect(stored.isEmpty, "left after clearing: \(stored)")
        let (page, sent) = try await sites.open("/third")
        let seen = try await page.view.evaluate("return document.cookie", in: .page)
        try expect(sent.isEmpty && seen == #""""#, "came back: \(sent), \(seen)")
        stored = try await sites.stored()
        try expect(stored.isEmpty, "came back: \(stored)")
    }
}
