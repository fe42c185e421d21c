// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import BaseTesting
    import ResourceLoading
    import Testing
    import WebSyntax

    @testable import WebKitGTKAdapter

    @Suite("Proxies of the environment", .timeLimit(.minutes(1)))
    struct EnvironmentProxiesTests {
        /// Returns the only route to a URL's host: `direct`, or the scheme, host and port of the proxy.
        private func route(_ environment: [String: String], to url: String) throws -> String {
            let isSecure = url.hasPrefix("https:")
            let authority = url.split(separator: "/", maxSplits: 2)[1]
            let host = try #require(HostPort(authority, defaultPort: isSecure ? 443 : 80))
            let routes = try #require(EnvironmentProxies(environment)).routes(to: host, isSecure: isSecure)
            #expect(routes.count == 1)
            return switch routes.first {
            case .http(let proxy, _): "http \(proxy)"
            case .socks5(let proxy, _): "socks5 \(proxy)"
            default: "direct"
            }
        }

        @Test(
            "Each scheme has its variable; lower case precedes upper case, and an empty value counts as missing",
            arguments: [
                (["https_proxy": "http://p:1"], "http p:1", "direct"),
                (["HTTPS_PROXY": "http://p:1"], "http p:1", "direct"),
                (["https_proxy": "http://p:1", "HTTPS_PROXY": "http://q:1"], "http p:1", "direct"),
                (["https_proxy": "", "HTTPS_PROXY": "http://q:1"], "http q:1", "direct"),
                (["http_proxy": "http://p:1"], "http p:1", "http p:1"),
                (["HTTP_PROXY": "http://p:1"], "http p:1", "http p:1"),
                (["HTTP_PROXY": "http://p:1", "all_proxy": "q:1", "REQUEST_METHOD": "GET"], "http q:1", "http q:1"),
                (["http_proxy": "http://p:1", "REQUEST_METHOD": "GET"], "http p:1", "http p:1"),
                (["https_proxy": "http://p:1", "http_proxy": "http://q:2"], "http p:1", "http q:2"),
                (["all_proxy": "socks5://p:1"], "socks5 p:1", "socks5 p:1"),
                (["ALL_PROXY": "socks5h://p"], "socks5 p:1080", "socks5 p:1080"),
                (["https_proxy": "http://p:1", "all_proxy": "socks://q:2"], "http p:1", "socks5 q:2"),
                (["https_proxy": "p:3128"], "http p:3128", "direct"),
                (["https_proxy": "p"], "http p:80", "direct"),
                (["https_proxy": "user:secret@p:3128"], "http p:3128", "direct"),
            ])
        func variables(_ environment: [String: String], _ secure: String, _ plain: String) throws {
            #expect(try route(environment, to: "https://shop.example/") == secure)
            #expect(try route(environment, to: "http://shop.example/") == plain)
        }

        @Test(
            "Without a proxy, or with a script, the resolver of the system decides",
            arguments: [
                [:], ["no_proxy": "*"], ["https_proxy": ""], ["ftp_proxy": "http://p:1"],
                ["https_proxy": "pac+http://p/proxy.pac"], ["http_proxy": "PAC+file:///proxy.pac"],
                ["all_proxy": "wpad:"], ["all_proxy": "wpad://"], ["http_proxy": "http://p:1", "https_proxy": "wpad:"],
            ])
        func undecided(_ environment: [String: String]) {
            #expect(EnvironmentProxies(environment) == nil)
        }

        @Test(
            "Entries of no_proxy cover a host, the names below it, addresses and networks",
            arguments: [
                (
                    "a.example", ["a.example", "b.a.example", "A.EXAMPLE", "a.example.", "a.example:8443"],
                    ["ba.example"]
                ),
                (".a.example", ["a.example", "b.a.example"], ["example"]),
                ("*.a.example", ["a.example", "c.b.a.example"], ["ba.example"]),
                ("A.Example.", ["a.example", "b.a.example."], ["example"]),
                ("x.example, a.example", ["a.example", "x.example"], ["y.example"]),
                ("x.example a.example\t,,b.example", ["x.example", "a.example", "b.example"], ["c.example"]),
                ("a.example:8443", ["a.example:8443", "b.a.example:8443"], ["a.example"]),
                ("*", ["a.example", "10.0.0.1", "[2001:db8::1]:443"], []),
                ("a.example,*", ["b.example"], []),
                ("10.0.0.1", ["10.0.0.1"], ["10.0.0.10", "110.0.0.1"]),
                ("10.0.0.0/8", ["10.255.0.1"], ["11.0.0.1", "a.10.0.0.0"]),
                ("192.168.5.0/23", ["192.168.4.1", "192.168.5.9"], ["192.168.6.1"]),
                ("10.0.0.0/0", ["203.0.113.1"], ["[2001:db8::1]:443", "a.example"]),
                ("2001:db8::1", ["[2001:db8:0::1]:443"], ["[2001:db8::2]:443"]),
                ("[2001:db8::1]:8443", ["[2001:db8::1]:8443"], ["[2001:db8::1]:443"]),
                ("2001:db8::/33", ["[2001:db8:7fff::1]:443"], ["[2001:db8:8000::1]:443"]),
                ("0.1", [], ["10.0.0.1"]),
                // Entries of another form are ignored.
                ("10.0.0.0/33,10.0.0.0/,/8,a b.example,*x.example", [], ["10.0.0.1", "y.test"]),
                ("http://a.example,a.example:x,a.example:65536,:443,-", [], ["a.example", "y.test"]),
            ] as [(String, [String], [String])])
        func exceptions(_ list: String, _ covered: [String], _ others: [String]) throws {
            for name in ["no_proxy", "NO_PROXY"] {
                let environment = ["https_proxy": "http://p:1", name: list]
                for host in covered { #expect(try route(environment, to: "https://\(host)/") == "direct", "\(host)") }
                for host in others { #expect(try route(environment, to: "https://\(host)/") == "http p:1", "\(host)") }
            }
            let both = ["https_proxy": "http://p:1", "no_proxy": "z.example", "NO_PROXY": list]
            for host in covered { #expect(try route(both, to: "https://\(host)/") == "http p:1", "lower case wins") }
        }

        @Test(
            "A proxy of an unsupported kind is an error, except for hosts without a proxy",
            arguments: ["socks4://p:1", "https://p:1", "http://", "http://p:0", "a b:1", "p:x", "://"])
        func unsupported(_ value: String) throws {
            let proxies = try #require(EnvironmentProxies(["https_proxy": value, "no_proxy": "a.example"]))
            let error = #expect(throws: ResourceError.self) {
                try proxies.routes(to: HostPort(host: "shop.example", port: 443), isSecure: true)
            }
            #expect(error?.code == .cannotConnect)
            #expect(try proxies.routes(to: HostPort(host: "a.example", port: 443), isSecure: true) == [.direct])
            #expect(try proxies.routes(to: HostPort(host: "shop.example", port: 80), isSecure: false) == [.direct])
        }

        @Test("Descriptions omit passwords")
        func descriptions() throws {
            let proxies = try #require(EnvironmentProxies(["https_proxy": "http://user:secret@p:1"]))
            var dumped = ""
            dump(proxies, to: &dumped)
            #expect(!"\(proxies)\(String(reflecting: proxies))\(dumped)".contains("secret"))
        }

        @Test("An entry more never adds a proxy, and a covered host never has one", arguments: 0..<50)
        func monotony(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let labels = ["a", "b", "example", "10.0.0.1", "10.0.0.0/8", "*", ".", ":", "443", "[::1]", "/", "é", "*."]
            let names = ["a.example", "b.a.example", "10.0.0.1", "10.9.0.1", "b.example"]
            let hosts = names.map { HostPort(host: $0, port: 443) }
            var entries: [String] = []
            var direct: Set<HostPort> = []
            for _ in 0..<12 {
                let count = Int.random(in: 1...4, using: &random)
                entries.append((0..<count).compactMap { _ in labels.randomElement(using: &random) }.joined())
                let environment = ["all_proxy": "p:1", "no_proxy": entries.joined(separator: ",")]
                let proxies = try #require(EnvironmentProxies(environment))
                let now = Set(try hosts.filter { try proxies.routes(to: $0, isSecure: true) == [.direct] })
                #expect(direct.isSubset(of: now), "\(entries)")
                direct = now
            }
            let covering = hosts.map(\.host).joined(separator: " ")
            let all = try #require(EnvironmentProxies(["all_proxy": "p:1", "no_proxy": covering]))
            for host in hosts { #expect(try all.routes(to: host, isSecure: true) == [.direct]) }
        }
    }
#endif
