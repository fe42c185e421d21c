// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Logging
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting
import WebSyntax

@testable import LoopbackInterception
@testable import LoopbackServer

@MainActor
@Suite("Loopback controller", .timeLimit(.minutes(1)))
struct LoopbackControllerTests {
    private let engine = FakeEngine()
    private let host = RecordedHost()
    private let pipeline = FakePipeline(hosts: ["https://a.example"])
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("loopback-\(UUID().uuidString)").path

    private func controller(
        _ mode: InterceptionMode, isUsed: Bool = true, proxies: SystemProxies? = nil
    ) async throws -> LoopbackController<FakeEngine> {
        try await LoopbackController(
            engine, in: mode, LoopbackOptions(), directory: folder, names: nil, isUsed: isUsed,
            logger: Logger(label: "test"), clock: ContinuousClock(),
            ports: LoopbackPorts(
                pipeline: pipeline, bodies: [], observer: nil, host: host, proxies: proxies, trusted: { _ in [] }))
    }

    @Test("With the proxy, pages keep their real URLs, and requests of opened hosts are reported")
    func proxy() async throws {
        let controller = try await controller(.loopbackProxy)
        #expect(engine.proxy?.kind == .socks5 && controller.port == nil)
        let url = "https://a.example/x"
        #expect(try await controller.open(url) == url && controller.place(of: url) == url)
        #expect(controller.realURL(of: url) == nil)
        #expect(controller.reportsRequests(for: url) && !controller.reportsRequests(for: "https://b.example/"))
        let cookie = EngineCookie(name: "a", value: "b", domain: "a.example")
        #expect(controller.cookie(cookie, ofPageAt: "https://b.example/") == cookie && !controller.isToken(cookie))
        controller.isUsed = false
        #expect(engine.proxy == nil)
        controller.isUsed = true
        try await controller.ready()
        #expect(engine.proxy?.kind == .socks5)
        await controller.shutDown()
        #expect(engine.proxy == nil && controller.lostReports == 0)
    }

    @Test(
        "Proxies of the system at the port of an own listener are left out while it listens",
        arguments: [InterceptionMode.loopbackProxy, .loopbackServer])
    func ownListener(mode: InterceptionMode) async throws {
        struct Settings: ProxyResolving {
            let ports: AsyncStream<Int>

            func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
                for await port in ports { return [.http(HostPort(host: "127.0.0.1", port: port), nil)] }
                return []
            }
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let proxies = SystemProxies(Settings(ports: ports)) { message, host in Issue.record("\(host): \(message)") }
        let controller = try await controller(mode, proxies: proxies)
        let own = try #require(mode == .loopbackProxy ? engine.proxy?.port : controller.port)
        port.yield(own)
        let host = HostPort(host: "shop.example", port: 443)
        #expect(await proxies.routes(to: host, isSecure: true) == [.direct])
        await controller.shutDown()
        let route = ProxyRoute.http(HostPort(host: "127.0.0.1", port: own), nil)
        #expect(await proxies.routes(to: host, isSecure: true) == [route])
    }

    @Test("The engine preconnects to origins of requested pages that the proxy opens")
    func preconnect() async throws {
        let controller = try await controller(.loopbackProxy)
        let view = FakeView(id: ViewID(rawValue: 1))
        let urls = ["https://a.example/x", "https://b.example/"]
        // The engine opens no connection, so that the time limit of one second ends each call.
        await controller.preconnect(in: view, besides: urls) { _ in true }
        #expect(view.evaluatedScripts.count == 1 && view.evaluatedScripts[0].contains(#"["https://a.example"]"#))
        await controller.preconnect(in: view, besides: urls) { $0 != urls[0] }
        await controller.shutDown()
        await controller.preconnect(in: view, besides: urls) { _ in true }
        #expect(view.evaluatedScripts.count == 1)
    }

    @Test("With the loopback server, pages have loopback URLs, and the engine gets the token for their sites")
    func server() async throws {
        let controller = try await controller(.loopbackServer, isUsed: false)
        let url = "https://a.example/x"
        #expect(controller.port == nil && controller.place(of: url) == nil)
        let place = try #require(try await controller.open(url))
        let port = try #require(controller.port)
        #expect(place == "https://a-example.localhost:\(port)/x" && controller.place(of: url) == place)
        #expect(controller.realURL(of: place) == url && controller.reportsRequests(for: place))
        #expect(!controller.reportsRequests(for: url) && engine.proxy == nil)
        #expect(try await controller.open("about:blank") == nil)
        let token = try #require(engine.jar.cookies.first)
        #expect(controller.isToken(token) && controller.cookie(token, ofPageAt: url) == nil)
        let cookie = EngineCookie(name: "a", value: "b", domain: "a-example.localhost")
        #expect(controller.cookie(cookie, ofPageAt: url)?.domain == "a.example")
        #expect(controller.cookie(cookie, ofPageAt: "https://b.example/") == nil)
        await controller.resume()
        #expect(controller.port == port)
        await controller.shutDown()
    }

    @Test("Documents of the server load again at another port, except POST documents and those of other pages")
    func formerPort() {
        let pages = LocalServerPages()
        let views = (1...6).map { FakeView(id: ViewID(rawValue: $0)) }
        let port = Port()
        pages.port = { port.value }
        for (number, view) in views.enumerated() {
            pages.insert(PageID(rawValue: UInt64(number)), at: "https://a.example/\(number)", in: view)
        }
        pages.reloadIfPortChanged()
        port.value = 20_000
        pages.reloadIfPortChanged()
        #expect(views.allSatisfy { $0.loads.isEmpty }, "the first port is no change")
        pages.record("https://a.example/moved?x#y", of: PageID(rawValue: 0))
        pages.record(nil, of: PageID(rawValue: 1))
        views[2].isPosted = true
        pages.remove(PageID(rawValue: 3))
        views[4].discard()
        port.value = nil
        pages.reloadIfPortChanged()
        port.value = 20_001
        pages.reloadIfPortChanged()
        pages.reloadIfPortChanged()
        #expect(views[0].loads == ["https://a-example.localhost:20001/moved?x#y"])
        #expect(views[1...4].allSatisfy { $0.loads.isEmpty })
        #expect(views[5].loads == ["https://a-example.localhost:20001/5"])
    }

    @MainActor
    private final class Port {
        var value: Int?
    }

    @Test("The host receives events in order, and the generation of a subresource before its record")
    func events() throws {
        let batcher = LoopbackEventBatcher(of: "test", logger: Logger(label: "test"), to: host)
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://a.example/")
        func report(_ url: String, referrer: String?, _ outcome: ExchangeReport.Outcome) throws {
            var head = try #require(HTTPRequest(urlText: url))
            head.headerFields[.referer] = referrer
            var request = ResourceRequest(head)
            request.destination = .subresource
            request.page = PageAttribution(page, confidence: .inferred)
            var report = ExchangeReport(request)
            report.record(
                ResourceResponse(
                    head: HTTPResponse(status: .ok), body: .empty,
                    provenance: Provenance(
                        .package, reason: "a test",
                        generation: GenerationReference(package: "shop", number: 1))))
            report.end(outcome)
            batcher.ended(report)
        }
        batcher.happened(.listening(port: 1))
        try report("https://a.example/1", referrer: page.documentURL, .finished)
        try report("https://a.example/2", referrer: "https://a.example/other", .finished)
        try report("https://a.example/3", referrer: page.documentURL, .stopped)
        batcher.happened(.listening(port: 2))
        batcher.close()
        batcher.happened(.listening(port: 3))
        #expect(
            host.calls == [
                "answered https://a.example/", "ended https://a.example/1", "ended https://a.example/2",
                "ended https://a.example/3",
            ])
        #expect(host.events.count == 2 && batcher.lost == 0)
    }

    @Test("Events beyond the limit are dropped and counted")
    func lost() {
        let batcher = LoopbackEventBatcher(of: "test", logger: Logger(label: "test"), to: host)
        for port in 0..<5_000 { batcher.happened(.listening(port: port)) }
        batcher.close()
        #expect(batcher.lost == 5_000 - 4_096 && host.events.count == 4_096)
    }
}
