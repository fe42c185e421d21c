// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Driver) import Network
import Testing
import WebEngine
@_spi(Driver) import WebKit
import WebSyntax

@testable import WKWebViewAdapter

@MainActor
@Suite("Proxy and trust", .timeLimit(.minutes(1)))
struct NetworkingTests {
    private let store = WKWebsiteDataStore.nonPersistent()
    private let networking: WKWebViewNetworking
    private let credentials = EngineProxy.Credentials(username: "app", password: "secret")

    init() { networking = WKWebViewNetworking(store) }

    // MARK: Proxy

    @Test("Both kinds of proxies are set, without a failover", arguments: [EngineProxy.Kind.http, .socks5])
    func kinds(_ kind: EngineProxy.Kind) throws {
        let proxy = EngineProxy(
            kind, host: "127.0.0.1", port: 65_535, exceptions: ["a.example"], credentials: credentials)
        networking.setProxy(proxy)
        let configuration = try #require(store.proxyConfigurations.first)
        #expect(store.proxyConfigurations.count == 1)
        #expect(configuration.kind == (kind == .http ? .httpCONNECT : .socks5))
        #expect(configuration.endpoint == .hostPort(host: "127.0.0.1", port: 65_535))
        #expect(configuration.credential?.username == "app" && configuration.credential?.password == "secret")
        #expect(configuration.excludedDomains == ["a.example"] && configuration.matchDomains.isEmpty)
        #expect(!configuration.allowFailover)
        #expect(networking.proxy == proxy)
    }

    @Test("The setting before the first proxy is restored, also after a second proxy")
    func restore() {
        let own = ProxyConfiguration(httpCONNECTProxy: .hostPort(host: "own.example", port: 1))
        store.proxyConfigurations = [own]
        networking.setProxy(nil)
        #expect(store.proxyConfigurations.map(\.endpoint) == [own.endpoint])
        networking.setProxy(EngineProxy(host: "a.example", port: 1))
        networking.setProxy(EngineProxy(.socks5, host: "b.example", port: 2))
        #expect(store.proxyConfigurations.map(\.endpoint) == [.hostPort(host: "b.example", port: 2)])
        #expect(store.proxyConfigurations[0].credential == nil)
        networking.setProxy(nil)
        #expect(store.proxyConfigurations.map(\.endpoint) == [own.endpoint])
        #expect(networking.proxy == nil)
        // A later setting of the app is restored then.
        store.proxyConfigurations = []
        networking.setProxy(EngineProxy(host: "a.example", port: 1))
        networking.setProxy(nil)
        #expect(store.proxyConfigurations.isEmpty)
    }

    @Test(
        "An invalid proxy makes requests fail instead of bypassing it",
        arguments: [
            EngineProxy(host: "", port: 1), EngineProxy(host: "a b", port: 1), EngineProxy(host: "a/b", port: 1),
            EngineProxy(host: "[1.2.3.4]", port: 1), EngineProxy(host: "1::2::3", port: 1),
            EngineProxy(host: "a.example", port: 0), EngineProxy(host: "a.example", port: -1),
            EngineProxy(host: "a.example", port: 65_536),
            EngineProxy(host: "a", port: 1, credentials: .init(username: "a:b", password: "")),
            EngineProxy(.socks5, host: "a", port: 1, credentials: .init(username: "", password: "a")),
            EngineProxy(
                .socks5, host: "a", port: 1,
                credentials: .init(username: "a", password: String(repeating: "p", count: 256))),
        ])
    func invalid(_ proxy: EngineProxy) {
        networking.setProxy(proxy)
        #expect(store.proxyConfigurations.map(\.endpoint) == [.hostPort(host: "proxy.invalid", port: 1)])
        #expect(store.proxyConfigurations[0].excludedDomains.isEmpty)
    }

    @Test("The longest name and password of SOCKS5 are valid")
    func longestCredentials() {
        let text = String(repeating: "p", count: 255)
        networking.setProxy(
            EngineProxy(.socks5, host: "a.example", port: 1, credentials: .init(username: text, password: text)))
        #expect(store.proxyConfigurations.map(\.endpoint) == [.hostPort(host: "a.example", port: 1)])
        #expect(store.proxyConfigurations.first?.credential?.password == text)
    }

    @Test("An IPv6 address has no brackets", arguments: ["::1", "[::1]"])
    func address(_ host: String) {
        networking.setProxy(EngineProxy(host: host, port: 1))
        #expect(store.proxyConfigurations.map(\.endpoint) == [.hostPort(host: "::1", port: 1)])
    }

    // MARK: Challenges

    private func challenge(
        _ host: String, _ port: Int = 1, isProxy: Bool = true, failures: Int = 0
    ) -> URLAuthenticationChallenge {
        let space =
            isProxy
            ? URLProtectionSpace(
                proxyHost: host, port: port, type: "http", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            : URLProtectionSpace(
                host: host, port: port, protocol: "https", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
            error: nil, sender: ChallengeSender())
    }

    @Test("The credentials go to the current proxy only, twice at most")
    func proxyChallenge() {
        let proxy = EngineProxy(host: "Proxy.example", port: 1, credentials: credentials)
        #expect(networking.answer(to: challenge("proxy.example")).1 == nil)
        networking.setProxy(proxy)
        let answer = networking.answer(to: challenge("proxy.example"))
        #expect(answer.0 == .useCredential)
        #expect(
            answer.1?.user == "app" && answer.1?.password == "secret"
                && answer.1?.persistence == URLCredential.Persistence.none)
        #expect(networking.answer(to: challenge("proxy.example", failures: 1)).0 == .useCredential)
        let others = [
            challenge("proxy.example", failures: 2), challenge("proxy.example", 2), challenge("other.example"),
            challenge("proxy.example", isProxy: false),
        ]
        for other in others {
            let answer = networking.answer(to: other)
            #expect(answer.0 == .performDefaultHandling && answer.1 == nil)
        }
        networking.setProxy(EngineProxy(host: "proxy.example", port: 1))
        #expect(networking.answer(to: challenge("proxy.example")).0 == .performDefaultHandling)
    }

    // MARK: Trust

    private let leaf: [UInt8] = [0x30, 0x03, 0x30, 0x01, 0x00]
    private let other: [UInt8] = [0x30, 0x02, 0x30, 0x00]

    @Test("A certificate is trusted for its host alone")
    func trust() async throws {
        try await networking.trust(EngineCertificate(der: leaf), for: "A.example")
        try await networking.trust(EngineCertificate(der: other), for: "a.example")
        try await networking.trust(EngineCertificate(der: leaf), for: "[0:0::1]")
        for host in ["a.example", "A.EXAMPLE"] {
            #expect(networking.isTrusted(leaf: Data(leaf), host: host))
            #expect(networking.isTrusted(leaf: Data(other), host: host))
        }
        #expect(networking.isTrusted(leaf: Data(leaf), host: "::1"))
        #expect(networking.isTrusted(leaf: Data(leaf), host: "[::1]"))
        for host in ["b.a.example", "example", "a.example.", "", "::2", "\u{212A}.example"] {
            #expect(!networking.isTrusted(leaf: Data(leaf), host: host))
        }
        #expect(!networking.isTrusted(leaf: Data(other), host: "::1"))
        #expect(!networking.isTrusted(leaf: Data(leaf.dropLast()), host: "a.example"))
    }

    @Test("Hosts differ in other than ASCII letters")
    func asciiCase() async throws {
        // The Kelvin sign is `k` in Unicode lower case.
        try await networking.trust(EngineCertificate(der: leaf), for: "k.example")
        #expect(!networking.isTrusted(leaf: Data(leaf), host: "\u{212A}.example"))
        #expect(networking.isTrusted(leaf: Data(leaf), host: "K.example"))
    }

    @Test(
        "Bytes that are no certificate are refused",
        arguments: [
            [], [0x30], [0x30, 0x00], [0x31, 0x02, 0x30, 0x00], [0x30, 0x02, 0x31, 0x00], [0x30, 0x03, 0x30, 0x00],
            [0x30, 0x02, 0x30, 0x00, 0x00], [0x30, 0x80, 0x30, 0x00], [0x30, 0x84, 0, 0, 0, 2, 0x30, 0x00],
            [0x30, 0x82, 0x01], [0x30, 0x02, 0x30, 0x01], Array("-----BEGIN CERTIFICATE-----".utf8),
        ] as [[UInt8]])
    func invalidCertificate(_ der: [UInt8]) async {
        let failure = await #expect(throws: EngineError.self) {
            try await networking.trust(EngineCertificate(der: der), for: "a.example")
        }
        #expect(failure?.code == .tls && failure?.location == "a.example")
        #expect(!networking.isTrusted(leaf: Data(der), host: "a.example"))
    }

    @Test("The long form of a length is read")
    func longLength() async throws {
        let der: [UInt8] = [0x30, 0x82, 0x01, 0x02, 0x30, 0x81, 0xFF] + [UInt8](repeating: 0, count: 255)
        try await networking.trust(EngineCertificate(der: der), for: "a.example")
        #expect(networking.isTrusted(leaf: Data(der), host: "a.example"))
    }
}
