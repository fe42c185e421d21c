// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `h5 cache-proxy` in front of a real origin, over real connections.
@Suite("h5 cache-proxy", .timeLimit(.minutes(1)))
struct CacheProxyCommandTests {
    private func get(_ url: String, _ method: String = "GET") async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        // These values replace the fields that Foundation adds for the cache policy, because the proxy's cache would
        // apply them, too.
        request.setValue("nothing", forHTTPHeaderField: "Cache-Control")
        request.setValue("nothing", forHTTPHeaderField: "Pragma")
        let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    @Test("The proxy responds from its store, also after a restart, and exits with status 0")
    func proxying() async throws {
        let text = String(repeating: "0123456789", count: 50_000)
        let origin = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/fresh"))) { _ in
                    var response = OriginResponse.text(text)
                    response.headers[.cacheControl] = "max-age=600"
                    return response
                },
                OriginRoute(.get, try #require(OriginPathPattern("/never"))) { _ in
                    var response = OriginResponse.text("new")
                    response.headers[.cacheControl] = "no-store"
                    return response
                },
            ]))
        let folder = try TemporaryFolder()
        let arguments = [
            "cache-proxy", "--upstream", origin.url, "--port", "0", "--disk", "store", "--memory", "100000",
        ]
        for round in 1...2 {
            let proxy = try await Program("h5").start(arguments, in: folder.path)
            let url = try #require(proxy.firstLine)
            for _ in 1...2 {
                let (data, response) = try await get(url + "/fresh")
                #expect(response.statusCode == 200 && data == Data(text.utf8))
            }
            #expect(origin.requests.count { $0.path == "/fresh" } == 1)
            #expect(try await get(url + "/fresh").1.value(forHTTPHeaderField: "Age") != nil)
            #expect(
                try await get(url + "/fresh", "HEAD").1.value(forHTTPHeaderField: "Content-Length") == "\(text.count)")
            for _ in 1...2 { #expect(try await get(url + "/never").0 == Data("new".utf8)) }
            #expect(origin.requests.count { $0.path == "/never" } == 2 * round)
            #expect(await proxy.end(by: SIGTERM) == 0)
        }
        await origin.stop()
    }

    @Test("The proxy exits with status 0 while connections arrive")
    func endDuringConnections() async throws {
        let origin = try await OriginServer.start(OriginServer.Configuration(routes: [try fresh()]))
        let folder = try TemporaryFolder()
        for _ in 0..<3 {
            let proxy = try await Program("h5").start(
                ["cache-proxy", "--upstream", origin.url, "--port", "0"], in: folder.path)
            let port = try #require(UInt16(proxy.firstLine?.split(separator: ":").last ?? ""))
            let request = Data("GET /fresh HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
            let first = try await RawExchange.run(request, port: port)
            #expect(first.hasSuffix("fresh"))
            let status = await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        // A connection fails when the proxy has ended.
                        while let answer = try? await RawExchange.run(request, port: port), !answer.isEmpty {}
                    }
                }
                return await proxy.end(by: SIGTERM)
            }
            #expect(status == 0)
        }
        await origin.stop()
    }

    @Test("A request for another host than this machine gets 421 and no stored response")
    func foreignHosts() async throws {
        let origin = try await OriginServer.start(OriginServer.Configuration(routes: [try fresh()]))
        let folder = try TemporaryFolder()
        let proxy = try await Program("h5").start(
            ["cache-proxy", "--upstream", origin.url, "--port", "0"], in: folder.path)
        let address = try #require(proxy.firstLine)
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        func status(_ host: String) async throws -> String {
            let request = "GET /fresh HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            return String(try await RawExchange.run(Data(request.utf8), port: port).prefix(12))
        }
        for host in [
            "127.0.0.1:\(port)", "LOCALHOST", "a.b.localhost:1", "[::1]:80", "127.9.0.1", "localhost.:\(port)",
            "[0:0:0:0:0:0:0:1]",
        ] {
            #expect(try await status(host) == "HTTP/1.1 200", "\(host)")
        }
        for host in ["a.test", "a.test:\(port)", "localhost.a.test", "127.0.0.1.a.test", "[::2]", "10.0.0.1"] {
            #expect(try await status(host) == "HTTP/1.1 421", "\(host)")
        }
        #expect(await proxy.end(by: SIGTERM) == 0)
        await origin.stop()
    }

    /// Returns a route for a cacheable file.
    private func fresh() throws -> OriginRoute {
        OriginRoute(.get, try #require(OriginPathPattern("/fresh"))) { _ in
            var response = OriginResponse.text("fresh")
            response.headers[.cacheControl] = "max-age=600"
            return response
        }
    }

    @Test("Pipelined requests get their responses in order, from memory or the origin, and Connection is respected")
    func together() async throws {
        let origin = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                try fresh(),
                OriginRoute(.get, try #require(OriginPathPattern("/never"))) { _ in
                    var response = OriginResponse.text("never")
                    response.headers[.cacheControl] = "no-store"
                    return response
                },
            ]))
        let folder = try TemporaryFolder()
        let proxy = try await Program("h5").start(
            ["cache-proxy", "--upstream", origin.url, "--port", "0"], in: folder.path)
        let url = try #require(proxy.firstLine)
        _ = try await get(url + "/fresh")
        let paths = (0..<60).map { $0 % 5 == 3 ? "/never" : "/fresh" }
        var requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: a.localhost\r\n\r\n" }
        requests.append("HEAD /fresh HTTP/1.1\r\nHost: a.localhost\r\nConnection: keep-alive\r\n\r\n")
        requests.append("GET /fresh HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 1\r\n\r\nx")
        requests.append("GET /fresh HTTP/1.1\r\nHost: a.localhost\r\nConnection: close\r\n\r\n")
        let port = try #require(UInt16(url.split(separator: ":").last ?? ""))
        let answers = try await RawExchange.run(Data(requests.joined().utf8), port: port)
        let heads = answers.components(separatedBy: "HTTP/1.1 200 OK\r\n").dropFirst()
        let bodies = heads.map { $0.components(separatedBy: "\r\n\r\n").last ?? "" }
        #expect(bodies == paths.map { String($0.dropFirst()) } + ["", "fresh", "fresh"])
        #expect(await proxy.end(by: SIGTERM) == 0)
        await origin.stop()
    }

    @Test("The origin receives Via with the values of earlier proxies and of this one")
    func way() async throws {
        let origin = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                try fresh()
            ]))
        let folder = try TemporaryFolder()
        let proxy = try await Program("h5").start(
            ["cache-proxy", "--upstream", origin.url, "--port", "0"], in: folder.path)
        let url = try #require(proxy.firstLine)
        let port = try #require(UInt16(url.split(separator: ":").last ?? ""))
        for (path, via) in [("/fresh?1", ""), ("/fresh?2", "Via: 1.0 front\r\n"), ("/fresh?1", "")] {
            let request = "GET \(path) HTTP/1.1\r\nHost: a.localhost\r\n\(via)Connection: close\r\n\r\n"
            #expect(try await RawExchange.run(Data(request.utf8), port: port).hasSuffix("fresh"))
        }
        #expect(origin.requests.map { $0.headers[.via] } == ["1.1 h5", "1.0 front, 1.1 h5"])
        #expect(await proxy.end(by: SIGTERM) == 0)
        await origin.stop()
    }

    @Test("An unreachable origin gives 502; a port in use, a bad origin and a bad folder give an error line")
    func failures() async throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "no folder".utf8)
        let proxy = try await Program("h5").start(
            ["cache-proxy", "--upstream", "http://127.0.0.1:1", "--port", "0"], in: folder.path)
        #expect(try await get(try #require(proxy.firstLine) + "/x").1.statusCode == 502)
        #expect(await proxy.end(by: SIGINT) == 0)
        let other = try await OriginServer.start(OriginServer.Configuration())
        for (status, arguments) in [
            (Int32(69), ["--upstream", other.url, "--port", "\(other.port)"]),
            (64, ["--upstream", "ftp://a.test", "--port", "0"]),
            (64, ["--upstream", "http://a.test/path", "--port", "0"]),
            (64, ["--upstream", other.url, "--port", "99999"]),
            (74, ["--upstream", other.url, "--port", "0", "--disk", "file/x"]),
        ] {
            let outcome = try await Program("h5").run(["cache-proxy"] + arguments, in: folder.path)
            #expect(outcome.status == status, "\(arguments) \(outcome.errors)")
            #expect(outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.errors)")
        }
        await other.stop()
    }
}
