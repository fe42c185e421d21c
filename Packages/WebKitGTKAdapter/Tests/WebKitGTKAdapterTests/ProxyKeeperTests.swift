// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import WebEngine

#if os(Linux)
    import Testing
    import WebSyntax

    @testable import WebKitGTKAdapter

    @Suite("Proxy credentials", .timeLimit(.minutes(1)))
    @MainActor
    struct ProxyKeeperTests {
        private let keeper = ProxyKeeper()
        private let first = EngineProxy.Credentials(username: "app", password: "first")
        private let second = EngineProxy.Credentials(username: "app", password: "second")

        @Test("Credentials apply to the host and port of their proxy only")
        func place() {
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_000) == nil)
            keeper.use(EngineProxy(host: "Proxy.example", port: 4_000, credentials: first))
            #expect(keeper.credentials(forProxyAt: "proxy.example", port: 4_000) == first)
            #expect(keeper.credentials(forProxyAt: "proxy.example", port: 4_001) == nil)
            #expect(keeper.credentials(forProxyAt: "other.example", port: 4_000) == nil)
        }

        @Test("A challenge in the name of an earlier proxy gets the current credentials")
        func change() {
            keeper.use(EngineProxy(host: "127.0.0.1", port: 4_000, credentials: first))
            keeper.use(EngineProxy(host: "127.0.0.1", port: 4_001, credentials: second))
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_000) == second)
            #expect(keeper.credentials(forProxyAt: "127.0.0.1", port: 4_001) == second)
        }

        @Test("No challenge is answered without a proxy, without credentials, and with SOCKS5")
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

        @Test("Only a SOCKS5 URL contains the credentials, percent-encoded")
        func url() {
            let odd = EngineProxy.Credentials(username: "a@:/é", password: "%?#\u{1} ~")
            #expect(EngineProxy(host: "h", port: 1, credentials: odd).settingsURL == "http://h:1")
            #expect(EngineProxy(.socks5, host: "h", port: 1).settingsURL == "socks5://h:1")
            #expect(
                EngineProxy(.socks5, host: "h", port: 1, credentials: odd).settingsURL
                    == "socks5://a%40%3A%2F%C3%A9:%25%3F%23%01%20~@h:1")
        }

        @Test("An IPv6 address has brackets in the URL", arguments: ["::1", "[::1]"])
        func address(host: String) {
            #expect(EngineProxy(host: host, port: 1_080).settingsURL == "http://[::1]:1080")
            #expect(EngineProxy(.socks5, host: host, port: 1_080).settingsURL == "socks5://[::1]:1080")
            #expect(
                EngineProxy(.socks5, host: host, port: 1_080, credentials: first).settingsURL
                    == "socks5://app:first@[::1]:1080")
        }
    }
#endif
