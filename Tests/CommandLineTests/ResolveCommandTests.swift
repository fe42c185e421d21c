// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

/// `h5 resolve` with real servers for DNS over HTTPS. `Scripts/conformance-names` compares it with dig.
@Suite("h5 resolve", .timeLimit(.minutes(1)))
struct ResolveCommandTests {
    /// A line of the output with `--json`.
    private struct Line: Decodable {
        struct Address: Decodable, Equatable {
            var address: String
            var family: Int
            var origin: String
        }

        struct Cache: Decodable {
            var ageMs: Double
            var state: String
        }

        var addresses: [Address]
        var aliases: [String]
        var cache: Cache
        var host: String
        var ms: Double
        var reason: String
        var server: String?
        var source: String?
        var status: String
        var ttl: Int?

        var texts: Set<String> { Set(addresses.map(\.address)) }
    }

    /// A server and the folder of a run, with the certificate of its authority.
    private struct Site {
        let zone: NameZone
        let origin: OriginServer
        let folder: TemporaryFolder

        var url: String { origin.url + "/dns-query" }

        func resolve(_ arguments: String...) async throws -> Program.Outcome {
            try await Program("h5").run(
                ["resolve", "--server", url, "--authority", "authority.pem"] + arguments, in: folder.path)
        }

        /// Resolves hosts with exit status 0.
        func lines(_ arguments: String...) async throws -> [Line] {
            let outcome = try await Program("h5").run(
                ["resolve", "--server", url, "--authority", "authority.pem", "--json"] + arguments, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.output.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
        }
    }

    private static let entries: [String: NameZone.Entry] = [
        "shop.test": .addresses("192.0.2.7", "2001:db8::7", timeToLive: 200),
        "www.test": .alias(of: "edge.test"),
        "edge.test": .alias(of: "shop.test"),
        "text.test": NameZone.Entry(),
        "foreign.test": .fault(.foreignOwner),
        "other.test": .fault(.otherQuestion),
        "short.test": .fault(.truncated),
        "garbage.test": .fault(.garbage),
        "broken.test": .fault(.serverFailure),
        "one.test": .alias(of: "two.test"),
        "two.test": .alias(of: "one.test"),
    ]

    /// Runs `body` with a server, and stops the server afterwards.
    private func withSite(
        faults: String? = nil, names: [String]? = nil, _ body: (Site) async throws -> Void
    ) async throws {
        let zone = NameZone(Self.entries)
        let paths = try ["/dns-query", "/failing"].map { try #require(OriginPathPattern($0)) }
        var configuration = OriginServer.Configuration(routes: paths.flatMap { OriginRoute.names(at: $0, zone) })
        configuration.usesTLS = true
        configuration.offersHTTP2 = true
        configuration.faults = try faults.map { try Fault.parse($0) } ?? []
        if let names { configuration.certificateNames = names }
        let origin = try await OriginServer.start(configuration)
        let result: Result<Void, any Error>
        do {
            let folder = try TemporaryFolder()
            try folder.write("authority.pem", (origin.authorityPEM ?? "").utf8)
            result = .success(try await body(Site(zone: zone, origin: origin, folder: folder)))
        } catch {
            result = .failure(error)
        }
        await origin.stop()
        try result.get()
    }

    @Test("A line for each answer, the second from the cache")
    func answers() async throws {
        try await withSite { site async throws in
            let lines = try await site.lines("www.test", "--repeat", "2")
            try #require(lines.count == 2)
            #expect(lines[0].host == "www.test" && lines[0].status == "NOERROR")
            #expect(lines[0].texts == ["192.0.2.7", "2001:db8::7"])
            #expect(lines[0].addresses.contains(.init(address: "192.0.2.7", family: 4, origin: "a")))
            #expect(lines[0].addresses.contains(.init(address: "2001:db8::7", family: 6, origin: "aaaa")))
            #expect(lines[0].aliases == ["edge.test", "shop.test"])
            #expect(lines[0].cache.state == "miss" && lines[0].cache.ageMs == 0)
            #expect(lines[0].reason == "answered-by-server" && lines[0].source == "doh")
            #expect(lines[0].server == site.url && lines[0].ttl == 200)
            #expect(lines[0].ms > 0)
            #expect(lines[1].cache.state == "fresh" && lines[1].reason == "cached")
            #expect(lines[1].texts == lines[0].texts && lines[1].aliases == lines[0].aliases)
            // IPv4 and IPv6, once each.
            #expect(Set(site.zone.questions.map(\.type)) == [1, 28] && site.zone.questions.count == 2)
        }
    }

    @Test("Several hosts, and POST instead of GET")
    func methods() async throws {
        try await withSite { site async throws in
            #expect(try await site.lines("shop.test", "WWW.test").map(\.host) == ["shop.test", "www.test"])
            #expect(site.origin.requests.allSatisfy { $0.method == .get })
            let before = site.origin.requestCount
            #expect(try await site.lines("shop.test", "--post").first?.texts == ["192.0.2.7", "2001:db8::7"])
            #expect(site.origin.requests.dropFirst(before).allSatisfy { $0.method == .post })
            #expect(site.origin.requestCount == before + 2)
        }
    }

    @Test("Without --json a line has the host, the status, the addresses and the reason")
    func text() async throws {
        try await withSite { site async throws in
            let outcome = try await site.resolve("www.test")
            #expect(outcome.status == 0)
            let fields = outcome.output.replacing("\n", with: "").components(separatedBy: "  ")
            #expect(fields.prefix(2) == ["www.test", "NOERROR"])
            #expect(Set(fields[2..<4]) == ["192.0.2.7", "2001:db8::7"])
            #expect(
                fields[4...] == ["alias edge.test", "alias shop.test", "ttl 200", "miss", "answered-by-server"])
        }
    }

    @Test("A name that does not exist, and one without addresses, are results")
    func negative() async throws {
        try await withSite { site async throws in
            let lines = try await site.lines("none.test", "text.test", "foreign.test")
            #expect(lines.map(\.status) == ["NXDOMAIN", "NODATA", "NODATA"])
            #expect(lines.allSatisfy { $0.addresses.isEmpty && $0.reason == "answered-by-server" })
            #expect(try await site.lines("none.test", "--repeat", "2").last?.cache.state == "negative")
        }
    }

    @Test(
        "Malformed answers, and those to another question, have status 65",
        arguments: [
            ("garbage.test", "bad-message"), ("other.test", "other-question"), ("short.test", "truncated"),
            ("one.test", "too-many-aliases"),
        ])
    func wrong(host: String, code: String) async throws {
        try await withSite { site async throws in
            let outcome = try await site.resolve("shop.test", host)
            #expect(outcome.status == 65)
            #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("error: \(code): "), "\(outcome.errors)")
            // The hosts before it are printed.
            #expect(outcome.output.hasPrefix("shop.test  NOERROR") && outcome.output.split(separator: "\n").count == 1)
        }
    }

    @Test("The next server answers if one fails or stalls", arguments: ["status=503", "reset", "stall"])
    func failOver(fault: String) async throws {
        try await withSite(faults: "\(fault):/failing") { site async throws in
            let failing = site.origin.url + "/failing"
            let outcome = try await Program("h5").run(
                "resolve", "--server", failing, "--server", site.url, "--authority", "authority.pem", "--json",
                "shop.test", in: site.folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let line = try JSONDecoder().decode(Line.self, from: Data(outcome.output.utf8))
            #expect(line.server == site.url && line.texts == ["192.0.2.7", "2001:db8::7"])
            #expect(site.origin.requests.contains { $0.path == "/failing" })
        }
    }

    @Test("Without an answer of a server the exit status is 69")
    func unavailable() async throws {
        try await withSite { site async throws in
            let broken = try await site.resolve("broken.test")
            #expect(broken.status == 69 && broken.errors.hasPrefix("error: server-failure: "), "\(broken.errors)")
            let foreign = try await Program("h5").run(
                "resolve", "--server", site.url, "shop.test", in: site.folder.path)
            #expect(foreign.status == 69 && foreign.errors.hasPrefix("error: tls: "), "\(foreign.errors)")
            let port = try RefusingPort()
            let refused = try await Program("h5").run(
                "resolve", "--server", "https://127.0.0.1:\(port.number)/dns-query", "shop.test", in: site.folder.path)
            withExtendedLifetime(port) {}
            #expect(refused.status == 69 && refused.errors.hasPrefix("error: cannot-connect: "), "\(refused.errors)")
            #expect(!site.zone.questions.contains { $0.name == "shop.test" })
        }
    }

    @Test("A bootstrap address replaces the look-up of the server's name, and its certificate is for the name")
    func bootstrap() async throws {
        for (name, status) in [("dns.test", Int32(0)), ("else.test", 69)] {
            try await withSite(names: [name]) { site async throws in
                let outcome = try await Program("h5").run(
                    "resolve", "--server", "https://dns.test:\(site.origin.port)/dns-query", "--bootstrap",
                    "DNS.test=127.0.0.1", "--authority", "authority.pem", "shop.test", in: site.folder.path)
                #expect(outcome.status == status, "\(outcome.errors)")
                #expect(outcome.output.isEmpty == (status != 0))
                #expect(status == 0 || outcome.errors.hasPrefix("error: tls: "), "\(outcome.errors)")
            }
        }
    }

    @Test("Invalid command lines and files")
    func invalid() async throws {
        let folder = try TemporaryFolder()
        let url = "https://127.0.0.1:9/dns-query"
        try folder.write("empty.pem", "no certificate".utf8)
        let cases: [(arguments: [String], status: Int32, code: String)] = [
            (["shop.test"], 64, "usage"),
            (["--server", url], 64, "usage"),
            (["shop.test", "--server", "http://127.0.0.1/dns-query"], 64, "usage"),
            (["shop.test", "--server", url, "--bootstrap", "127.0.0.1"], 64, "usage"),
            (["shop.test", "--server", url, "--bootstrap", "dns.test=127.0.0.1"], 64, "usage"),
            (["shop.test", "--server", url, "--repeat", "0"], 64, "usage"),
            (["not a host", "--server", url], 64, "invalid-name"),
            (["shop.test", "--server", url, "--authority", "none.pem"], 66, "no-input"),
            (["shop.test", "--server", url, "--authority", "empty.pem"], 65, "bad-certificate"),
        ]
        for (arguments, status, code) in cases {
            let outcome = try await Program("h5").run(["resolve"] + arguments, in: folder.path)
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
            #expect(outcome.errorLines.first?.hasPrefix("error: \(code): ") == true, "\(arguments): \(outcome.errors)")
        }
    }
}
