// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebEngine

#if os(Linux)
    import Testing

    @testable import WebKitGTKAdapter

    @Suite("Credentials of a proxy", .timeLimit(.minutes(1)))
    @MainActor
    struct ProxyKeeperTests {
        private let keeper = ProxyKeeper()
        private let first = EngineProxy.Credentials(username: "app", password: "first")
        private let second = EngineProxy.Credentials(username: "app", password: "second")

        @Test("They are for the proxy that they were named with, and for no other place")
        func place() {
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_000) == nil)
            keeper.use(EngineProxy(host: "Proxy.example", port: 4_000, credentials: first))
            #expect(keeper.credentials(forProxyAt: "proxy.example", port: 4_000) == first)
            #expect(keeper.credentials(forProxyAt: "proxy.example", port: 4_001) == nil)
            #expect(keeper.credentials(forProxyAt: "other.example", port: 4_000) == nil)
        }

        @Test("The proxy before this one stands for it, and gets the credentials of now")
        func change() {
            keeper.use(EngineProxy(host: "127.0.0.1", port: 4_000, credentials: first))
            keeper.use(EngineProxy(host: "127.0.0.1", port: 4_001, credentials: second))
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_000) == second)
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_001) == second)
        }

        @Test("Without a proxy, with one that serves anyone, and with SOCKS5 no challenge is answered")
        func none() {
            keeper.use(EngineProxy(host: "127.0.0.1", port: 4_000, credentials: first))
            for proxy in [
                nil, EngineProxy(host: "127.0.0.1", port: 4_000),
                EngineProxy(.socks5, host: "127.0.0.1", port: 4_000, credentials: second),
            ] {
                keeper.use(proxy)
                #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_000) == nil)
            }
        }

        @Test("Only SOCKS5 has its credentials in the URL, where nothing of them is taken for something else")
        func url() {
            let odd = EngineProxy.Credentials(username: "a@:/é", password: "%?#\u{1} ~")
            #expect(EngineProxy(host: "h", port: 1, credentials: odd).settingsURL == "http://h:1")
            #expect(EngineProxy(.socks5, host: "h", port: 1).settingsURL == "socks5://h:1")
            #expect(
                EngineProxy(.socks5, host: "h", port: 1, credentials: odd).settingsURL
                    == "socks5://a%40%3A%2F%C3%A9:%25%3F%23%01%20~@h:1")
        }
    }
#endif
