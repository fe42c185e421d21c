// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@_spi(Packaging) @testable import ContainerTesting

@Suite("OriginServer", .timeLimit(.minutes(1)))
struct OriginServerTests {
    private let script = pattern(100_000)

    private func withSite<Result: Sendable>(
        _ change: (inout OriginServer.Configuration) throws -> Void = { _ in },
        _ body: @Sendable (OriginServer, HTTPClient) async throws -> Result
    ) async throws -> Result {
        let folder = try Folder([
            "index.html": Array("<!doctype html>home".utf8), "sub/index.html": Array("sub".utf8),
            "two words/index.html": [],
            "app.js": script, "data.json": Array("{}".utf8), "style.css": [], "logo.svg": Array("<svg/>".utf8),
            "lib.wasm": [0], "LICENSE": Array("free".utf8), "a b.txt": Array("space".utf8),
        ])
        defer { folder.remove() }
        var configuration = OriginServer.Configuration(folder: folder.path)
        try change(&configuration)
        return try await withOrigin(configuration) { server async throws in
            try await withClient { client in try await body(server, client) }
        }
    }

    @Test("Files have their bytes and media types")
    func files() async throws {
        let script = script
        try await withSite { server, client async throws in
            let answer = try await client.sendRequest(server.url + "/app.js")
            #expect(answer.status == 200)
            #expect(answer.body == script)
            #expect(answer.headers.first(name: "content-encoding") == nil)
            for (path, type) in [
                ("/", "text/html"), ("/sub/", "text/html"),
                ("/app.js", "text/javascript"), ("/style.css", "text/css"),
                ("/data.json", "application/json"), ("/logo.svg", "image/svg+xml"), ("/lib.wasm", "application/wasm"),
                ("/LICENSE", "application/octet-stream"), ("/a%20b.txt", "text/plain"),
            ] {
                let answer = try await client.sendRequest(server.url + path, headers: ["accept-encoding": "gzip"])
                #expect(answer.status == 200, "\(path)")
                #expect(answer.headers.first(name: "content-type") == type, "\(path)")
            }
            for (path, location) in [
                ("/sub", "/sub/"), ("/sub?a=1", "/sub/?a=1"), ("/two%20words", "/two%20words/"),
            ] {
                let answer = try await client.sendRequest(server.url + path)
                #expect(answer.status == 308 || answer.status == 301)
                #expect(answer.headers.first(name: "location") == location)
            }
            #expect(try await client.sendRequest(server.url + "/none").status == 404)
            let head = try await client.sendRequest(server.url + "/app.js", .HEAD)
            #expect(head.headers.first(name: "content-length") == "100000")
            #expect(try await client.sendRequest(server.url + "/app.js", .POST, body: [1]).status == 404)
        }
    }

    @Test("A source of fields adds them to files and missing files, and its own file is not served")
    func fieldSource() async throws {
        struct Refusal: Error {}
        let link = try #require(HTTPField.Name("Link"))
        try await withSite({ configuration in
            configuration.fieldSource = OriginServer.FieldSource(fileName: "style.css") { path, folder in
                #expect(FileManager.default.fileExists(atPath: folder + "/lib.wasm"))
                guard path != "lib.wasm" else { throw Refusal() }
                return HTTPFields([HTTPField(name: link, value: "<\(path)>"), HTTPField(name: link, value: "<b>")])
            }
        }) { server, client async throws in
            for (path, status, name) in [
                ("/", 200, "index.html"), ("/sub/", 200, "sub/index.html"), ("/a%20b.txt?c", 200, "a b.txt"),
                ("/none", 404, "none"), ("/style.css", 404, "style.css"), ("//style.css", 404, "/style.css"),
            ] {
                let answer = try await client.sendRequest(server.url + path)
                #expect(answer.status == status, "\(path)")
                #expect(answer.headers["link"] == ["<\(name)>", "<b>"], "\(path)")
            }
            for (range, status) in [("bytes=0-1", 206), ("bytes=200000-", 416)] {
                let answer = try await client.sendRequest(server.url + "/app.js", headers: ["range": range])
                #expect(answer.status == status && answer.headers["link"] == ["<app.js>", "<b>"])
            }
            let redirect = try await client.sendRequest(server.url + "/sub")
            #expect(redirect.headers.first(name: "location") == "/sub/" && redirect.headers["link"].isEmpty)
            #expect(try await client.sendRequest(server.url + "/lib.wasm").status == 500)
        }
    }

    @Test(
        "A file is served under one path only, because the fields of its source would be missing under others",
        arguments: [
            "/sub//index.html", "//sub/index.html", "/sub/./index.html", "/./sub/index.html", "/sub/%2e/index.html",
            "/sub%2Findex.html", "/sub%2findex.html", "/%2Fsub/", "//", "//sub", "/sub//", "/sub/.", "/sub/./",
            "/sub/%",
            "/sub/index.html%", "/sub/index.html%2",
        ])
    func otherSpellings(_ path: String) async throws {
        try await withSite { server, _ async throws in
            for (target, status) in [(path, 404), ("/s%75b/index.html", 200), ("/sub/", 200)] {
                let answer = try await exchange(
                    "GET \(target) HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", with: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            }
        }
    }

    @Test("Validators and ranges are supported")
    func ranges() async throws {
        let script = script
        try await withSite { server, client async throws in
            let url = server.url + "/app.js"
            let tag = try #require(try await client.sendRequest(url).headers.first(name: "etag"))
            #expect(try await client.sendRequest(url, headers: ["if-none-match": tag]).status == 304)
            for (field, range) in [
                ("bytes=10-19", 10..<20), ("bytes=99990-", 99_990..<100_000), ("bytes=-5", 99_995..<100_000),
            ] {
                let answer = try await client.sendRequest(url, headers: ["range": field])
                #expect(answer.status == 206)
                #expect(answer.body == Array(script[range]))
                #expect(
                    answer.headers.first(name: "content-range")
                        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/100000")
            }
            let beyond = try await client.sendRequest(url, headers: ["range": "bytes=100000-"])
            #expect(beyond.status == 416)
            #expect(beyond.headers.first(name: "content-range") == "bytes */100000")
            #expect(try await client.sendRequest(url, headers: ["range": "bytes=0-1,5-6"]).status == 200)
            #expect(
                try await client.sendRequest(url, headers: ["range": "bytes=0-1", "if-range": "\"x\""]).status == 200)
        }
    }

    @Test(
        "Paths that lead out of the folder are refused",
        arguments: [
            "/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
            "/sub/%2e%2e%2f%2e%2e/secret.txt",
            "/link.txt", "/linked/secret.txt", "//secret.txt", "/index.html%00.js", "/%zz",
        ])
    func traversal(_ path: String) async throws {
        let outside = try Folder(["secret.txt": Array("SECRET".utf8), "site/index.html": Array("home".utf8)])
        defer { outside.remove() }
        let site = outside.url.appendingPathComponent("site")
        try FileManager.default.createSymbolicLink(
            at: site.appendingPathComponent("link.txt"),
            withDestinationURL: outside.url.appendingPathComponent("secret.txt"))
        try FileManager.default.createSymbolicLink(
            at: site.appendingPathComponent("linked"), withDestinationURL: outside.url)
        try await withOrigin(OriginServer.Configuration(folder: site.path)) { server async throws in
            let answer = try await exchange(
                "GET \(path) HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", with: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 40"), "\(answer)")
            #expect(!answer.contains("SECRET"))
            #expect(!answer.contains("home"))
        }
    }

    @Test("Routes take precedence over files and receive the request")
    func routes() async throws {
        let echo = try #require(OriginPathPattern("/echo"))
        let slow = try #require(OriginPathPattern("/stream/*"))
        let page = try #require(OriginPathPattern("/"))
        let fails = try #require(OriginPathPattern("/fails"))
        let routes = [
            OriginRoute(.post, echo) { request in
                OriginResponse(headers: [.contentType: "application/x-echo"], body: .bytes(request.body))
            },
            OriginRoute(.get, slow) { request in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        for part in ["one ", "two ", request.query ?? "-"] { try await writer.write(Data(part.utf8)) }
                    })
            },
            OriginRoute(.get, page) { _ in .text("route", status: .accepted) },
            OriginRoute(.get, fails) { _ in throw CancellationError() },
        ]
        try await withSite {
            $0.routes = routes
            $0.requestBodyLimit = 2_000_000
        } _: { server, client async throws in
            let body = pattern(1_000_000)
            let echoed = try await client.sendRequest(server.url + "/echo", .POST, body: body)
            #expect(echoed.body == body)
            #expect(echoed.headers.first(name: "content-type") == "application/x-echo")
            #expect(try await client.sendRequest(server.url + "/stream/x?three").text == "one two three")
            let route = try await client.sendRequest(server.url + "/")
            #expect(route.status == 202)
            #expect(route.text == "route")
            let head = try await client.sendRequest(server.url + "/", .HEAD)
            #expect(head.headers.first(name: "content-length") == "5")
            #expect(head.body.isEmpty)
            #expect(try await client.sendRequest(server.url + "/fails").status == 500)
            #expect(
                try await client.sendRequest(server.url + "/echo", .POST, body: pattern(2_000_001)).status == 413)
        }
    }

    @Test("The log contains the latest requests")
    func log() async throws {
        try await withSite {
            $0.logLimit = 3
        } _: { server, client async throws in
            for number in 1...10 {
                _ = try await client.sendRequest(
                    server.url + "/data.json?n=\(number)", headers: ["x-test": "\(number)"])
            }
            #expect(server.requests.map(\.query) == ["n=8", "n=9", "n=10"])
            #expect(server.requests.last?.path == "/data.json")
            #expect(server.requests.last?.headers.first { $0.name.canonicalName == "x-test" }?.value == "10")
            #expect(server.requestCount == 10)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A client that trusts the authority connects over TLS")
    func tls() async throws {
        let folder = try Folder(["index.html": pattern(300_000)])
        defer { folder.remove() }
        var configuration = OriginServer.Configuration(folder: folder.path)
        configuration.usesTLS = true
        try await withOrigin(configuration) { server async throws in
            #expect(server.url.hasPrefix("https://127.0.0.1:"))
            try await withClient(trusting: server.authorityPEM) { client async throws in
                #expect(try await client.sendRequest(server.url + "/").body == pattern(300_000))
                #expect(try await client.sendRequest("https://localhost:\(server.port)/").status == 200)
            }
            await #expect(throws: (any Error).self) {
                try await withClient { client in try await client.sendRequest(server.url + "/") }
            }
        }
    }

    @Test("A profile shapes the network in front of the server")
    func shaped() async throws {
        let begin = ContinuousClock.now
        try await withSite {
            $0.profile = try NetworkProfile(roundTrip: .milliseconds(20), downKilobits: 8_000)
        } _: { server, client async throws in
            #expect(try await client.sendRequest(server.url + "/app.js").body.count == 100_000)
            let counters = try #require(server.counters)
            #expect(counters.bytesDown > 100_000)
            #expect(counters.busyDown == .milliseconds(8 * counters.bytesDown) / 8_000)
        }
        #expect(ContinuousClock.now - begin >= .milliseconds(140))
    }

    @Test("A port in use and a missing folder are reported")
    func errors() async throws {
        try await withSite { server, _ async throws in
            for profile in [NetworkProfile.none, .slowFourG] {
                var second = OriginServer.Configuration()
                second.port = server.port
                second.profile = profile
                await #expect {
                    _ = try await OriginServer.start(second)
                } throws: { error in
                    let error = error as? ContainerTestingError
                    return error?.code == .portInUse && error?.message.contains("\(server.port)") == true
                }
            }
        }
        // The system may give a released port to another test, but not five times in a row.
        var isFreed = false
        for _ in 0..<5 where !isFreed {
            let server = try await OriginServer.start(OriginServer.Configuration())
            var again = OriginServer.Configuration()
            again.port = server.port
            await server.stop()
            guard let next = try? await OriginServer.start(again) else { continue }
            #expect(next.port == server.port)
            await next.stop()
            await next.stop()
            isFreed = true
        }
        #expect(isFreed, "a server that was stopped keeps its port")
        for path in ["/nowhere/at/all", #filePath] {
            await #expect {
                _ = try await OriginServer.start(OriginServer.Configuration(folder: path))
            } throws: { error in
                (error as? ContainerTestingError)?.code == .noSuchFolder
            }
        }
    }

    @Test("Stopping closes idle connections")
    func stop() async throws {
        let server = try await OriginServer.start(OriginServer.Configuration())
        try await connect(to: server.port).executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nhost: a\r\n\r\n"))
            var iterator = inbound.makeAsyncIterator()
            #expect(try await iterator.next() != nil)
            await server.stop()
            #expect((try? await iterator.next()) == nil)
        }
    }

    @Test("A server stops while connections arrive", arguments: [(false, false), (true, false), (true, true)])
    func stopDuringConnections(usesTLS: Bool, offersHTTP2: Bool) async throws {
        var configuration = OriginServer.Configuration()
        configuration.usesTLS = usesTLS
        configuration.offersHTTP2 = offersHTTP2
        for _ in 0..<50 {
            let server = try await OriginServer.start(configuration)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        // A connection fails when the server has stopped.
                        while let channel = try? await bootstrap.connect(host: "127.0.0.1", port: server.port).get() {
                            try? await channel.close()
                        }
                    }
                }
                group.addTask { await server.stop() }
            }
        }
    }
}
