// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import CWebKitGTK
    import ResourceLoading
    import Testing
    import WebEngine
    import WebSyntax

    @testable import WebKitGTKAdapter

    @Suite("Proxies of GIO", .timeLimit(.minutes(1)), .serialized)
    @MainActor
    struct GIOProxyResolverTests {
        private let shop = HostPort(host: "shop.example", port: 443)
        private let proxy = HostPort(host: "proxy.example", port: 3_128)

        /// Returns the result of work, which needs the main loop. The test is the main loop.
        private func turning<Value: Sendable>(_ work: @escaping @MainActor () async throws -> Value) async throws
            -> Value
        {
            var result: Result<Value, any Error>?
            let task = Task {
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
            }
            while result == nil {
                g_main_context_iteration(nil, 0)
                await Task.yield()
            }
            await task.value
            return try #require(result).get()
        }

        /// Returns the routes to a host from a resolver of GIO with one proxy for all hosts.
        private func routes(to host: HostPort, isSecure: Bool = true, over uri: String?) async throws -> [ProxyRoute] {
            let resolver = try #require(g_simple_proxy_resolver_new(uri, nil))
            defer { g_object_unref(UnsafeMutableRawPointer(resolver)) }
            let proxies = GIOProxyResolver(resolver)
            return try await turning { try await proxies.routes(to: host, isSecure: isSecure) }
        }

        @Test("The proxy of the settings is found, with its credentials")
        func proxies() async throws {
            #expect(try await routes(to: shop, over: "http://proxy.example:3128") == [.http(proxy, nil)])
            #expect(
                try await routes(to: shop, isSecure: false, over: "socks5://u%40:p%3A@proxy.example:3128")
                    == [.socks5(proxy, .init(username: "u@", password: "p:"))])
            #expect(try await routes(to: shop, over: nil) == [.direct])
            let address = HostPort(host: "2001:db8::1", port: 8_443)
            #expect(try await routes(to: address, over: "http://proxy.example:3128") == [.http(proxy, nil)])
        }

        @Test("Proxies of other kinds alone are an error")
        func unsupported() async throws {
            await #expect {
                try await routes(to: shop, over: "socks4://proxy.example:1080")
            } throws: {
                ($0 as? EngineError)?.code == .proxy
            }
        }

        @Test("The default resolver of the system responds")
        func system() async throws {
            let resolver = try #require(GIOProxyResolver.system([:]))
            // The routes depend on the machine.
            do {
                let routes = try await turning { [shop] in try await resolver.routes(to: shop, isSecure: true) }
                #expect(!routes.isEmpty)
            } catch {
                #expect((error as? EngineError)?.code == .proxy)
            }
        }
    }
#endif
