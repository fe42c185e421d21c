// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import NIOHTTP1
import Testing

@Suite("A server for DNS over HTTPS", .timeLimit(.minutes(1)))
struct NameZoneTests {
    /// A message that is read only as far as the tests need it.
    private struct Message: Equatable {
        var flags: UInt16
        /// The numbers of questions, answers, authority and additional records.
        var counts: [UInt16]
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) throws {
            try #require(bytes.count >= 12)
            let fields = stride(from: 0, to: 12, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            #expect(fields[0] == 0)
            flags = fields[1]
            counts = Array(fields[2...])
            self.bytes = bytes
        }

        func contains(_ part: [UInt8]) -> Bool { bytes.firstRange(of: part) != nil }
    }

    private static let zone: [String: NameZone.Entry] = [
        "shop.test": .addresses("192.0.2.7", "192.0.2.8", "2001:db8::7"),
        "www.test": .alias(of: "shop.test", timeToLive: 30),
        "one.test": .alias(of: "two.test"),
        "two.test": .alias(of: "one.test"),
        "lost.test": .alias(of: "none.test"),
        "foreign.test": .fault(.foreignOwner),
        "other.test": .fault(.otherQuestion),
        "short.test": .fault(.truncated),
        "garbage.test": .fault(.garbage),
        "broken.test": .fault(.serverFailure),
        "service.test": service,
    ]

    private static var service: NameZone.Entry {
        var service = NameZone.Service()
        service.protocols = ["h2"]
        service.hints = ["2001:db8::9", "192.0.2.9"]
        var entry = NameZone.Entry()
        entry.services = [service]
        return entry
    }

    private static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// Returns a query with the flag RD, and with an OPT record unless `options` is `false`.
    private static func query(_ host: String, _ type: UInt8, options: Bool = true) -> [UInt8] {
        [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, options ? 1 : 0] + name(host) + [0, type, 0, 1]
            + (options ? [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0] : [])
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Runs `body` with a server, and a function that returns the answer to a question by GET.
    private func withServer(
        _ zone: NameZone, faults: String? = nil,
        _ body: @Sendable (OriginServer, @Sendable (String, UInt8) async throws -> Message) async throws -> Void
    ) async throws {
        let path = try #require(OriginPathPattern("/dns-query"))
        var configuration = OriginServer.Configuration(routes: OriginRoute.names(at: path, zone))
        configuration.usesTLS = true
        configuration.offersHTTP2 = true
        configuration.faults = try faults.map { try Fault.parse($0) } ?? []
        try await withOrigin(configuration) { server async throws in
            try await withClient(trusting: server.authorityPEM) { client async throws in
                try await body(server) { host, type in
                    let dns = Self.base64URL(Self.query(host, type))
                    let answer = try await client.sendRequest("\(server.url)/dns-query?dns=\(dns)")
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == ["application/dns-message"])
                    return try Message(answer.body)
                }
            }
        }
    }

    @Test("GET and POST have the same answer, with the lowest time to live as the freshness")
    func methods() async throws {
        let zone = NameZone(Self.zone)
        try await withServer(zone) { server, _ async throws in
            let query = Self.query("WWW.test", 1)
            let url = server.url + "/dns-query"
            let fields: HTTPHeaders = ["content-type": "application/dns-message"]
            try await withClient(trusting: server.authorityPEM) { client async throws in
                let get = try await client.sendRequest("\(url)?dns=\(Self.base64URL(query))")
                let post = try await client.sendRequest(url, .POST, headers: fields, body: query)
                #expect(get.status == 200 && post.status == 200)
                #expect(get.body == post.body)
                #expect(get.headers["cache-control"] == ["max-age=30"])
                #expect(try await client.sendRequest(url).status == 400)
                #expect(try await client.sendRequest("\(url)?dns=AAAA").status == 400)
                #expect(try await client.sendRequest(url, .POST, headers: fields, body: [0]).status == 400)
                #expect(try await client.sendRequest(url, .POST, body: query).status == 415)
            }
        }
        #expect(zone.questions == [.init(name: "www.test", type: 1), .init(name: "www.test", type: 1)])
    }

    @Test("Records of the question's type, after aliases")
    func records() async throws {
        try await withServer(NameZone(Self.zone)) { _, ask async throws in
            let ipv4 = try await ask("shop.test", 1)
            #expect(ipv4.flags == 0x8180 && ipv4.counts == [1, 2, 0, 1])
            // The owner is a pointer to the question; type A, class IN, 300 seconds, 4 octets.
            #expect(ipv4.contains([0xC0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 7]))
            let ipv6 = try await ask("shop.test", 28)
            #expect(ipv6.counts == [1, 1, 0, 1])
            #expect(ipv6.contains([0, 16, 0x20, 1, 0x0D, 0xB8]))
            let alias = try await ask("www.test", 1)
            #expect(alias.counts == [1, 3, 0, 1])
            #expect(alias.contains([0, 5, 0, 1, 0, 0, 0, 30, 0, 11] + Self.name("shop.test")))
            #expect(alias.contains(Self.name("shop.test") + [0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 8]))
            let service = try await ask("service.test", 65)
            #expect(service.counts == [1, 1, 0, 1])
            // Priority 1, the owner as target, alpn, ipv4hint and ipv6hint.
            let parameters: [UInt8] = [0, 1, 0, 3, 2, 0x68, 0x32, 0, 4, 0, 4, 192, 0, 2, 9, 0, 6, 0, 16, 0x20]
            #expect(service.contains([0, 1, 0] + parameters))
        }
    }

    @Test("Negative answers have the start of a zone")
    func negative() async throws {
        let zone = NameZone(Self.zone, negativeTimeToLive: 7)
        try await withServer(zone) { _, ask async throws in
            // The owner is `test`, type SOA, class IN, 7 seconds.
            let start = Self.name("test") + [0, 6, 0, 1, 0, 0, 0, 7]
            let noName = try await ask("none.test", 1)
            #expect(noName.flags == 0x8183 && noName.counts == [1, 0, 1, 1] && noName.contains(start))
            let noData = try await ask("service.test", 1)
            #expect(noData.flags == 0x8180 && noData.counts == [1, 0, 1, 1] && noData.contains(start))
            let lost = try await ask("lost.test", 1)
            #expect(lost.flags == 0x8183 && lost.counts == [1, 1, 1, 1])
            // An entry can change.
            zone["none.test"] = .addresses("192.0.2.1")
            #expect(try await ask("none.test", 1).counts == [1, 1, 0, 1])
            zone["none.test"] = nil
            #expect(try await ask("none.test", 1) == noName)
        }
    }

    @Test("Wrong answers")
    func wrong() async throws {
        try await withServer(NameZone(Self.zone)) { _, ask async throws in
            #expect(try await ask("one.test", 1).counts == [1, 2, 0, 1])
            let foreign = try await ask("foreign.test", 1)
            #expect(foreign.counts == [1, 1, 0, 1])
            #expect(foreign.contains(Self.name("foreign.test")))
            #expect(foreign.contains(Self.name("foreign.invalid") + [0, 1, 0, 1]))
            let other = try await ask("other.test", 1)
            #expect(Array(other.bytes[12...].prefix(17)) == Self.name("foreign.invalid"))
            let short = try await ask("short.test", 1)
            #expect(short.flags == 0x8380 && short.counts == [1, 0, 0, 1])
            #expect(try await ask("broken.test", 1).flags == 0x8182)
            #expect(try await ask("broken.test", 1).counts == [1, 0, 0, 1])
        }
        try await withServer(NameZone(Self.zone)) { server, _ async throws in
            try await withClient(trusting: server.authorityPEM) { client async throws in
                let dns = Self.base64URL(Self.query("garbage.test", 1, options: false))
                let answer = try await client.sendRequest("\(server.url)/dns-query?dns=\(dns)")
                #expect(answer.text == "not a DNS message")
            }
        }
    }

    @Test("A fault of the server applies to its path, and no question is recorded")
    func fault() async throws {
        let zone = NameZone(Self.zone)
        try await withServer(zone, faults: "status=503:/dns-query") { server, _ async throws in
            try await withClient(trusting: server.authorityPEM) { client async throws in
                let dns = Self.base64URL(Self.query("shop.test", 1))
                #expect(try await client.sendRequest("\(server.url)/dns-query?dns=\(dns)").status == 503)
            }
        }
        #expect(zone.questions.isEmpty)
    }

    @Test("The certificate is valid for the names of the configuration only")
    func certificateNames() async throws {
        var configuration = OriginServer.Configuration()
        configuration.usesTLS = true
        configuration.certificateNames = ["other.test"]
        try await withOrigin(configuration) { server async throws in
            _ = await #expect(throws: (any Error).self) {
                try await withClient(trusting: server.authorityPEM) { try await $0.sendRequest(server.url) }
            }
        }
        configuration.certificateNames = ["127.0.0.1"]
        try await withOrigin(configuration) { server async throws in
            let status = try await withClient(trusting: server.authorityPEM) {
                try await $0.sendRequest(server.url).status
            }
            #expect(status == 404)
        }
    }
}
