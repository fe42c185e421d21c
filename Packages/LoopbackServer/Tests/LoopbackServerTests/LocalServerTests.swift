// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("The local server", .timeLimit(.minutes(2)))
struct LocalServerTests {
    private let loader = RecordingLoader { request in
        switch request.head.path {
        case "/away":
            ResourceResponse(302, [.location: "https://shop.test/here", .setCookie: "a=1; Domain=shop.test"])
        case "/open": ResourceResponse(200, [.accessControlAllowOrigin: "*"])
        default:
            .text(
                [
                    request.head.method.rawValue, request.head.urlText,
                    request.head.headerFields[values: .cookie].joined(),
                    request.head.headerFields[.origin] ?? "", request.head.headerFields[.referer] ?? "",
                ].joined(separator: "|"))
        }
    }

    @Test("A request with the token receives the response of the real host")
    func served() async throws {
        try await SiteFixture.with(loader) { fixture in
            let peer = try await fixture.open()
            let origin = "https://\(SiteFixture.name):\(try fixture.port)"
            #expect(try await fixture.get("/a?b", from: peer).text == "GET|https://shop.test/a?b|||")
            let fields = "\(fixture.cookie.dropLast()); c=d\r\nOrigin: \(origin)\r\nReferer: \(origin)/x\r\n"
            let said = try await fixture.get("/", from: peer, fields: "\(fields)Sec-Fetch-Site: same-origin\r\n")
            #expect(said.text == "GET|https://shop.test/|c=d|https://shop.test|https://shop.test/x")
            // With a referrer policy that hides the origin, a page's own POST request has `Origin: null`.
            let hidden = "\(fixture.cookie)Origin: null\r\nSec-Fetch-Site: same-origin\r\n"
            #expect(try await fixture.get("/", from: peer, fields: hidden).text == "GET|https://shop.test/||null|")
            let moved = try await fixture.get("/away", from: peer)
            let cookie = "a=1; Domain=shop-test.localhost"
            #expect(moved.fields["location"] == "\(origin)/here" && moved.fields["set-cookie"] == cookie)
            #expect(try await fixture.get("/open", from: peer).fields["access-control-allow-origin"] == nil)
            #expect(fixture.server.realURL(of: "\(origin)/a?b#c") == "https://shop.test/a?b#c")
            #expect(
                fixture.server.servesHost(of: origin) && fixture.server.servesHost(of: "https://\(SiteFixture.name):1/")
            )
            for url in ["http://\(SiteFixture.name):1/", "https://other-test.localhost:1/", "about:blank"] {
                #expect(!fixture.server.servesHost(of: url), "\(url)")
            }
            let reports = try await fixture.witness.reports.value("5") { $0.count == 5 ? $0 : nil }
            #expect(reports.allSatisfy { $0.request.head.authority == "shop.test" && $0.outcome.word == "finished" })
            #expect(fixture.witness.refusals.isEmpty)
        }
    }

    @Test("Request bodies arrive complete")
    func bodies() async throws {
        let echo = RecordingLoader { request in
            guard case .stream(let stream) = request.body else { return .text("none") }
            var bytes = 0
            for try await piece in stream { bytes += piece.count }
            return .text("\(bytes)")
        }
        try await SiteFixture.with(echo) { fixture in
            let peer = try await fixture.open()
            let host = "Host: \(SiteFixture.name):\(try fixture.port)\r\n"
            try await peer.send(
                "POST / HTTP/1.1\r\n\(host)\(fixture.cookie)Content-Length: 300000\r\n\r\n"
                    + String(repeating: "x", count: 300_000))
            #expect(try await peer.answer().text == "300000")
        }
    }

    @Test(
        "A WebSocket request reaches the real host without the token or the local origin", arguments: [true, false])
    func webSocket(isAgreed: Bool) async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: "localhost").context) { host in
            let site = try #require(LocalSite(url: "https://localhost:\(host.port)/"))
            try await SiteFixture.with(loader) {
                $0.trusted = { _ in [authority.certificate] }
            } _: { fixture in
                fixture.server.serve(site)
                let peer = try await fixture.open(site.name)
                let place = "\(site.name):\(try fixture.port)"
                try await peer.send(
                    """
                    GET /chat HTTP/1.1\r\nHost: \(place)\r\n\(fixture.cookie)Origin: https://\(place)\r
                    Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\n\r\n
                    """)
                let asked = try await host.connections.entry(0)
                let head = try await asked.read(until: "\r\n\r\n").lowercased()
                #expect(head.contains("\r\nhost: localhost:\(host.port)\r\n"))
                #expect(head.contains("\r\norigin: https://localhost:\(host.port)\r\n"))
                #expect(!head.contains("cookie") && !head.contains(site.name))
                let fields = "Set-Cookie: a=1; Domain=localhost\r\n\r\n"
                let status = isAgreed ? 101 : 401
                let line = "HTTP/1.1 \(status) X\r\n"
                try await asked.send(
                    isAgreed ? "\(line)Upgrade: websocket\r\nConnection: Upgrade\r\n\(fields)" : line + fields)
                let answer = try await peer.answerHead()
                #expect(answer.status == status && answer.fields["set-cookie"] == "a=1")
                guard isAgreed else { return }
                try await asked.send("welcome")
                #expect(try await peer.read(7) == Array("welcome".utf8))
            }
        }
    }

    // MARK: Refused clients

    @Test(
        "A request without the token is refused",
        arguments: ["", "Cookie: __Host-container=\r\n", "Cookie: __Host-container=0123\r\n", "Cookie: a=b\r\n"])
    func strangers(fields: String) async throws {
        try await SiteFixture.with(loader) { fixture in
            let peer = try await fixture.open()
            let answer = try await fixture.get("/", from: peer, fields: fields)
            #expect(answer.status == 403 && answer.body.isEmpty)
            #expect(try await peer.rest().isEmpty)
            try await fixture.witness.refusal(.credentials)
            #expect(fixture.loader.requests.isEmpty)
        }
    }

    @Test("A repeated token and the token of another launch are refused")
    func tokens() async throws {
        try await SiteFixture.with(loader) { fixture in
            let other = AccessToken()
            let pair = "\(AccessToken.name)=\(fixture.server.token.value)"
            for cookies in ["\(pair); \(pair)", "\(AccessToken.name)=\(other.value)", "\(pair); \(AccessToken.name)=x"]
            {
                let peer = try await fixture.open()
                #expect(try await fixture.get("/", from: peer, fields: "Cookie: \(cookies)\r\n").status == 403)
            }
            #expect(fixture.loader.requests.isEmpty)
        }
    }

    @Test(
        "Requests of a page of another origin are refused, including preflights",
        arguments: [
            "Origin: https://evil.example", "Origin: null", "Origin: https://shop.test",
            "Origin: https://shop-test.localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ])
    func foreign(field: String) async throws {
        try await SiteFixture.with(loader) { fixture in
            for method in ["GET", "POST", "OPTIONS"] {
                let peer = try await fixture.open()
                let host = "Host: \(SiteFixture.name):\(try fixture.port)\r\n"
                try await peer.send(
                    "\(method) /open HTTP/1.1\r\n\(host)\(fixture.cookie)\(field)\r\nContent-Length: 0\r\n\r\n")
                let answer = try await peer.answer()
                #expect(answer.status == 403 && answer.fields.keys.allSatisfy { !$0.hasPrefix("access-control") })
            }
            try await fixture.witness.refusal(.foreignOrigin(String(field.drop { $0 != " " }.dropFirst())))
            #expect(fixture.loader.requests.isEmpty)
        }
    }

    @Test(
        "A request for another host on the connection of a site is misdirected",
        arguments: ["shop.test", "localhost", "127.0.0.1", "evil.example", "other-test.localhost"])
    func hosts(name: String) async throws {
        try await SiteFixture.with(loader) { fixture in
            // The hosts are the address, as for a name that resolves to loopback, and the site without a port or with
            // another port.
            for host in ["\(name):\(try fixture.port)", name, SiteFixture.name, "\(SiteFixture.name):1"] {
                let peer = try await fixture.open()
                #expect(try await peer.get("/", host: host, fixture.cookie).status == 421)
            }
            #expect(fixture.loader.requests.isEmpty)
        }
    }

    @Test(
        "A TLS client of an unknown site receives no byte",
        arguments: ["other-test.localhost", "localhost", "shop.test", "evil.example", nil])
    func unknown(name: String?) async throws {
        try await SiteFixture.with(loader) { fixture in
            let peer = try await fixture.connect()
            try await peer.secure(name, trusting: fixture.server.authority)
            #expect(try await peer.rest().isEmpty)
            try await fixture.witness.refusal(.unknownSite(name ?? ""))
        }
    }

    @Test(
        "Plaintext clients are refused", arguments: ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "\u{5}\u{1}\u{2}xx"])
    func plain(text: String) async throws {
        try await SiteFixture.with(loader) { fixture in
            let peer = try await fixture.connect()
            try await peer.send(text)
            #expect(try await peer.rest().isEmpty)
            #expect(fixture.witness.refusals == [.unknownSite("")])
        }
    }

    @Test(
        "Neither directories nor sites are listed: only the loader responds",
        arguments: ["/", "//", "/.", "/folder", "/folder/", "/folder/?list", "/folder/..", "/%2E%2E/"])
    func listing(path: String) async throws {
        let loader = RecordingLoader { request in
            request.head.path == "/folder/file" ? .text("here") : ResourceResponse(404)
        }
        try await SiteFixture.with(loader) { fixture in
            fixture.server.serve(try #require(LocalSite(url: "https://other.test/")))
            let peer = try await fixture.open()
            #expect(try await fixture.get("/folder/file", from: peer).text == "here")
            let answer = try await fixture.get(path, from: peer)
            #expect(answer.status == 404 && answer.body.isEmpty)
            #expect(fixture.loader.receivedRequests.entries.map(\.head.path) == ["/folder/file", path])
        }
    }

    @Test("A silent connection is closed")
    func silent() async throws {
        try await SiteFixture.with(loader) {
            $0.limits.introduction = .milliseconds(50)
        } _: { fixture in
            let peer = try await fixture.connect()
            #expect(try await peer.rest().isEmpty)
            try await fixture.witness.refusal(.unidentified)
        }
    }

    @Test("The oldest connection without the token is closed if there are too many")
    func crowd() async throws {
        try await SiteFixture.with(loader) {
            $0.limits.unidentifiedPeers = 2
        } _: { fixture in
            let known = try await fixture.open()
            #expect(try await fixture.get("/", from: known).status == 200)
            var silent: [Peer] = []
            for number in 0..<3 {
                silent.append(try await fixture.connect())
                // Concurrent connections may be accepted in another order.
                while number < 2, fixture.server.connections < number + 2 { try await Fixture.turn() }
            }
            #expect(try await silent[0].rest().isEmpty)
            #expect(try await fixture.get("/", from: known).status == 200)
        }
    }

    @Test("A certificate that the engine does not trust in time ends the connection with an event")
    func untrusted() async throws {
        let never = Gate()
        defer { never.open() }
        var trusting = Trusting()
        trusting.act = { _ in try await never.passed() }
        try await SiteFixture.with(loader, trusting: trusting) {
            $0.limits.patience = .milliseconds(50)
        } _: { fixture in
            let peer = try await fixture.open()
            #expect(try await peer.rest().isEmpty)
            _ = try await fixture.witness.events.value("unreachable") { events in
                events.contains { if case .unreachable = $0 { true } else { false } } ? true : nil
            }
        }
    }

    @Test("The site that was added least recently is removed beyond the limit")
    func limit() async throws {
        try await SiteFixture.with(loader) {
            $0.limits.hosts = 2
        } _: { fixture in
            for host in ["a", "shop", "b"] {
                fixture.server.serve(try #require(LocalSite(url: "https://\(host).test/")))
            }
            #expect(try await fixture.get("/", from: fixture.open()).status == 200)
            let peer = try await fixture.open("a-test.localhost")
            #expect(try await peer.rest().isEmpty)
        }
    }

    // MARK: Port

    @Test(
        "The requested port is used in each launch, and another with an event if it is taken")
    func port() async throws {
        for _ in 0..<20 {
            let wanted = try await SiteFixture.with(loader) { try $0.port }
            let takeover = try? await SiteFixture.with(loader, port: wanted) { first in
                guard try first.port == wanted else { return false }
                return try await SiteFixture.with(loader, port: wanted) { second in
                    #expect(try second.port != wanted)
                    let isReported = second.witness.events.entries.contains {
                        if case .portTaken(wanted) = $0 { true } else { false }
                    }
                    #expect(isReported)
                    return try await second.get("/", from: second.open()).status == 200
                }
            }
            // The attempt counts unless another program has taken the port.
            if takeover == true { return }
        }
        Issue.record("no attempt succeeded")
    }

    @Test("A closed listener listens again by itself, or after resume() if it was shut down")
    func loss() async throws {
        try await SiteFixture.with(loader) { fixture in
            let kept = try await fixture.open()
            #expect(try await fixture.get("/", from: kept).status == 200)
            let count = { (events: [LoopbackEvent]) in
                events.count { if case .listening = $0 { true } else { false } }
            }
            fixture.server.closeListener()
            _ = try await fixture.witness.events.value("listening again") { count($0) == 2 ? true : nil }
            let descriptor = try #require(PortTakeover.listener(at: fixture.port))
            shutdown(descriptor, CInt(SHUT_RDWR))
            try await fixture.server.resume()
            #expect(try await fixture.get("/", from: fixture.open()).status == 200)
        }
    }

    @Test("A stopped server accepts no connection")
    func stopped() async throws {
        try await SiteFixture.with(loader) { fixture in
            let port = try fixture.port
            await fixture.server.stop()
            #expect(fixture.server.port == nil)
            // A server of another test may listen at the port by now. It has another authority.
            await #expect(throws: (any Error).self) {
                try await Peer.connect(to: port).secure(SiteFixture.name, trusting: fixture.server.authority)
            }
            await #expect(throws: LoopbackError.self) { try await fixture.server.resume() }
        }
    }
}
