// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
@_spi(Facade) import ResourceLoading
import Testing
import WebSyntax

@Suite("Proxies of the system", .timeLimit(.minutes(1)))
struct SystemProxiesTests {
    /// Settings that name the same routes for each host. They record the calls and the reported failures.
    private final class Settings: ProxyResolving {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        let calls = Mutex<[String]>([])
        let failures = Mutex<[String]>([])
        let gate = CallGate()
        let clock = ManualClock()
        private let result: Mutex<Result<[ProxyRoute], Failure>>

        init(_ routes: [ProxyRoute]) {
            result = Mutex(.success(routes))
        }

        func fail(_ message: String) { result.withLock { $0 = .failure(Failure(description: message)) } }

        func proxies(lifetime: Duration = .seconds(600)) -> SystemProxies {
            SystemProxies(self, lifetime: lifetime, clock: clock) { message, host in
                self.failures.withLock { $0.append("\(host): \(message)") }
            }
        }

        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            calls.withLock { $0.append("\(isSecure ? "https" : "http")://\(host)") }
            await gate.pass()
            return try result.withLock { $0 }.get()
        }
    }

    private let proxy = ProxyRoute.http(HostPort(host: "proxy.example", port: 3_128), nil)
    private let shop = HostPort(host: "shop.example", port: 443)

    @Test(
        "Loopback hosts are never behind a proxy, and are not looked up",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "127.0.0.1", "127.8.9.10", "::1",
            "[::1]",
        ])
    func loopback(host: String) async {
        let settings = Settings([proxy])
        let proxies = settings.proxies()
        for isSecure in [true, false] {
            #expect(await proxies.routes(to: HostPort(host: host, port: 8_080), isSecure: isSecure) == [.direct])
        }
        #expect(settings.calls.withLock { $0 } == [])
    }

    @Test(
        "Names and addresses that are not loopback are looked up",
        arguments: ["localhost.example", "notlocalhost", "128.0.0.1", "127.example", "::2"])
    func others(host: String) async {
        let proxies = Settings([proxy]).proxies()
        #expect(await proxies.routes(to: HostPort(host: host, port: 80), isSecure: false) == [proxy])
    }

    @Test("The order of the settings is kept, and at most eight routes are tried")
    func order() async {
        let routes = (1...20).map { ProxyRoute.socks5(HostPort(host: "p.example", port: $0), nil) }
        #expect(await Settings(routes).proxies().routes(to: shop, isSecure: true) == Array(routes.prefix(8)))
        let mixed: [ProxyRoute] = [.direct, proxy]
        #expect(await Settings(mixed).proxies().routes(to: shop, isSecure: true) == mixed)
        #expect(await Settings([]).proxies().routes(to: shop, isSecure: true) == [.direct])
    }

    @Test("A proxy at a port of a listener of this process is left out while a listener has the port")
    func ownListener() async {
        let own = [
            ProxyRoute.http(HostPort(host: "127.0.0.1", port: 4_000), nil),
            .socks5(HostPort(host: "a.localhost", port: 4_000), nil), .http(HostPort(host: "::1", port: 4_000), nil),
        ]
        // The same port of another computer, and another port of this one, form no loop.
        let far = ProxyRoute.http(HostPort(host: "proxy.example", port: 4_000), nil)
        let other = ProxyRoute.http(HostPort(host: "127.0.0.1", port: 4_001), nil)
        let proxies = Settings(own + [far, other]).proxies()
        let alone = Settings(own).proxies()
        #expect(await proxies.routes(to: shop, isSecure: true) == own + [far, other])
        OwnListeners.insert(4_000)
        #expect(await proxies.routes(to: shop, isSecure: true) == [far, other])
        #expect(await alone.routes(to: shop, isSecure: true) == [.direct])
        // Another container has the port before the removal of its former listener.
        OwnListeners.insert(4_000)
        OwnListeners.remove(4_000)
        #expect(await alone.routes(to: shop, isSecure: true) == [.direct])
        OwnListeners.remove(4_000)
        #expect(await proxies.routes(to: shop, isSecure: true) == own + [far, other])
    }

    @Test("A look-up that fails means a direct connection, and is reported as one line")
    func failure() async {
        let settings = Settings([proxy])
        settings.fail("no\nsettings")
        #expect(await settings.proxies().routes(to: shop, isSecure: true) == [.direct])
        #expect(settings.failures.withLock { $0 } == ["shop.example:443: no\u{FFFD}settings"])
    }

    @Test("A look-up that takes longer than its limit means a direct connection, and is reported")
    func timeLimit() async {
        let settings = Settings([proxy])
        settings.gate.close()
        let proxies = settings.proxies(lifetime: .zero)
        async let routes = proxies.routes(to: shop, isSecure: true)
        await settings.clock.sleepers(atLeast: 1)
        settings.clock.advance(by: .seconds(5))
        #expect(await routes == [.direct])
        #expect(settings.failures.withLock { $0 } == ["shop.example:443: the look-up took longer than 5.0 seconds"])
        settings.gate.open()
        // The failure is kept for this host.
        #expect(await proxies.routes(to: shop, isSecure: true) == [.direct])
        #expect(settings.calls.withLock { $0.count } == 1)
        #expect(await proxies.routes(to: HostPort(host: "b.example", port: 443), isSecure: true) == [proxy])
    }

    @Test("While many look-ups are in progress, connections to further hosts are direct, which is reported")
    func manyLookUps() async {
        let settings = Settings([proxy])
        settings.gate.close()
        let proxies = settings.proxies()
        await withTaskGroup(of: [ProxyRoute].self) { group in
            for number in 1...64 {
                group.addTask {
                    await proxies.routes(to: HostPort(host: "\(number).example", port: 443), isSecure: true)
                }
            }
            var arrivals = settings.gate.arrivals.makeAsyncIterator()
            for _ in 1...64 { await arrivals.next() }
            #expect(await proxies.routes(to: shop, isSecure: true) == [.direct])
            #expect(settings.failures.withLock { $0 } == ["shop.example:443: too many look-ups are in progress"])
            settings.gate.open()
            for await routes in group { #expect(routes == [proxy]) }
        }
        #expect(await proxies.routes(to: HostPort(host: "b.example", port: 443), isSecure: true) == [proxy])
        #expect(settings.calls.withLock { $0.count } == 65)
    }

    @Test("Concurrent requests for a host share a look-up, and its result is reused for its lifetime")
    func reuse() async {
        let settings = Settings([proxy])
        settings.gate.close()
        let proxies = settings.proxies()
        await withTaskGroup(of: [ProxyRoute].self) { group in
            for _ in 0..<10 { group.addTask { [shop] in await proxies.routes(to: shop, isSecure: true) } }
            await settings.clock.sleepers(atLeast: 1)
            settings.gate.open()
            for await routes in group { #expect(routes == [proxy]) }
        }
        #expect(await proxies.routes(to: shop, isSecure: true) == [proxy])
        #expect(settings.calls.withLock { $0 } == ["https://shop.example:443"])
        // Scheme and port are part of the look-up.
        _ = await proxies.routes(to: shop, isSecure: false)
        _ = await proxies.routes(to: HostPort(host: "shop.example", port: 444), isSecure: true)
        #expect(settings.calls.withLock { $0.count } == 3)

        let brief = Settings([proxy])
        let forgetful = brief.proxies(lifetime: .zero)
        for _ in 0..<3 { _ = await forgetful.routes(to: shop, isSecure: true) }
        #expect(brief.calls.withLock { $0.count } == 3)
    }

    @Test("The number of results is limited")
    func manyHosts() async {
        let settings = Settings([proxy])
        let proxies = settings.proxies()
        for number in 0...256 {
            _ = await proxies.routes(to: HostPort(host: "\(number).example", port: 443), isSecure: true)
        }
        // The first result was removed.
        _ = await proxies.routes(to: HostPort(host: "0.example", port: 443), isSecure: true)
        #expect(settings.calls.withLock { $0.count } == 258)
    }

    @Test("After a change of the network, hosts are looked up again")
    func networkChange() async {
        let settings = Settings([proxy])
        settings.gate.open()
        let proxies = settings.proxies()
        _ = await proxies.routes(to: shop, isSecure: true)
        _ = await proxies.routes(to: shop, isSecure: true)
        #expect(settings.calls.withLock { $0.count } == 1)
        proxies.networkChanged()
        _ = await proxies.routes(to: shop, isSecure: true)
        #expect(settings.calls.withLock { $0.count } == 2)
    }

    @Test("Descriptions of routes omit the password")
    func descriptions() {
        let route = ProxyRoute.http(
            HostPort(host: "proxy.example", port: 80), .init(username: "app", password: "secret"))
        var dumped = ""
        dump(route, to: &dumped)
        for text in ["\(route)", String(reflecting: route), dumped] {
            #expect(text.contains("app") && !text.contains("secret"))
        }
    }
}
