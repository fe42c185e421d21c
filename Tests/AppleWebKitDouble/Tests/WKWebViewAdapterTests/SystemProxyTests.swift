// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebSyntax

@testable import WKWebViewAdapter

@Suite("Proxies of the system's settings")
struct SystemProxyTests {
    private let host = HostPort(host: "shop.example", port: 443)

    @Test("Entries become routes in their order")
    func order() throws {
        let routes = try SystemProxyEntry.routes(
            of: [
                SystemProxyEntry(kind: .http, host: "Proxy.Example", port: 3_128),
                SystemProxyEntry(kind: .socks, host: "socks.example", port: 9_050),
                SystemProxyEntry(kind: .direct),
            ], to: host)
        #expect(
            routes == [
                .http(HostPort(host: "proxy.example", port: 3_128), nil),
                .socks5(HostPort(host: "socks.example", port: 9_050), nil), .direct,
            ])
    }

    @Test("Credentials that the system knows are kept; an empty user name is none")
    func credentials() throws {
        let routes = try SystemProxyEntry.routes(
            of: [
                SystemProxyEntry(kind: .http, host: "a.example", port: 1, username: "u", password: "p"),
                SystemProxyEntry(kind: .http, host: "a.example", port: 1, username: "u"),
                SystemProxyEntry(kind: .http, host: "a.example", port: 1, username: "", password: "p"),
            ], to: host)
        let proxy = HostPort(host: "a.example", port: 1)
        #expect(
            routes == [
                .http(proxy, .init(username: "u", password: "p")), .http(proxy, .init(username: "u", password: "")),
                .http(proxy, nil),
            ])
    }

    @Test("A port that is missing or 0 is the default of the protocol, and addresses are hosts")
    func ports() throws {
        let routes = try SystemProxyEntry.routes(
            of: [
                SystemProxyEntry(kind: .http, host: "192.0.2.1"), SystemProxyEntry(kind: .http, host: "::1", port: 0),
                SystemProxyEntry(kind: .socks, host: "socks.example", port: 0),
            ], to: host)
        #expect(
            routes == [
                .http(HostPort(host: "192.0.2.1", port: 80), nil), .http(HostPort(host: "::1", port: 80), nil),
                .socks5(HostPort(host: "socks.example", port: 1_080), nil),
            ])
    }

    @Test("Scripts, other protocols and invalid entries are left out")
    func unsupported() throws {
        let entries = [
            SystemProxyEntry(kind: .script), SystemProxyEntry(kind: .other, host: "ftp.example", port: 21),
            SystemProxyEntry(kind: .http), SystemProxyEntry(kind: .http, host: "a b", port: 1),
            SystemProxyEntry(kind: .http, host: "a.example", port: 65_536),
            SystemProxyEntry(kind: .socks, host: "a.example", port: -1),
        ]
        #expect(try SystemProxyEntry.routes(of: entries + [SystemProxyEntry(kind: .direct)], to: host) == [.direct])
        for entry in entries {
            #expect {
                try SystemProxyEntry.routes(of: [entry], to: host)
            } throws: {
                ($0 as? EngineError)?.code == .proxy
            }
        }
        #expect(try SystemProxyEntry.routes(of: [], to: host) == [])
    }
}
