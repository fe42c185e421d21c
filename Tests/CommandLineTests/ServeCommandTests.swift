// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `h5 serve`: its end on a signal, and the error line and exit status if it cannot serve.
@Suite("h5 serve", .timeLimit(.minutes(1)))
struct ServeCommandTests {
    private func fails(
        _ status: Int32, _ arguments: String..., saying what: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        let outcome = try await Program("h5").run(arguments, in: folder.path)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        #expect(what.isEmpty || outcome.errors.contains(what), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    @Test("The command serves until a signal and exits with 0", arguments: [SIGTERM, SIGINT], [[], ["--rtt", "1"]])
    func serving(signal: Int32, options: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>home".utf8)
        let server = try await Program("h5").start(["serve", "site"] + options, in: folder.path)
        let url = try #require(server.firstLine)
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: url)))
        #expect((response as? HTTPURLResponse)?.statusCode == 200 && data == Data("<!doctype html>home".utf8))
        #expect(await server.end(by: signal) == 0)
    }

    @Test("A request for another host than this machine gets 421, and hidden files get 404 except .well-known")
    func foreignHostsAndHiddenFiles() async throws {
        let folder = try TemporaryFolder()
        for name in [
            "index.html", ".git/config", "a/.env", ".well-known/a.txt", ".well-known/.b", ".\u{301}env",
            "x\u{600}/.env", "x\u{600}/a.txt", "\u{301}.txt",
        ] {
            try folder.write("site/" + name, "text".utf8)
        }
        let server = try await Program("h5").start(["serve", "site"], in: folder.path)
        let address = try #require(server.firstLine)
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        func status(_ path: String, _ host: String) async throws -> String {
            let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            return String(try await RawExchange.run(Data(request.utf8), port: port).prefix(12))
        }
        for host in ["127.0.0.1:\(port)", "localhost", "site.localhost:\(port)", "[::1]"] {
            #expect(try await status("/", host) == "HTTP/1.1 200", "\(host)")
        }
        for host in ["evil.test", "evil.test:\(port)", "localhost.evil.test", "127.0.0.1.evil.test"] {
            #expect(try await status("/", host) == "HTTP/1.1 421", "\(host)")
        }
        for path in [
            "/.git/config", "/%2egit/config", "/.git/", "/.git", "/a/.env", "/.well-known/.b", "/.%CC%81env",
            "/x%D8%80/.env", "/x%D8%80%2F.env",
        ] {
            #expect(try await status(path, "localhost") == "HTTP/1.1 404", "\(path)")
        }
        for path in ["/.well-known/a.txt", "/x%D8%80/a.txt", "/%CC%81.txt"] {
            #expect(try await status(path, "localhost") == "HTTP/1.1 200", "\(path)")
        }
        #expect(await server.end(by: SIGTERM) == 0)
    }

    @Test("The file _headers adds fields to files and 404 responses, is read again, and is not served")
    func responseFields() async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/docs/index.html", "<!doctype html>docs".utf8)
        try folder.write("site/a b.js", "code".utf8)
        let rules = """
            /*
              Cross-Origin-Opener-Policy: same-origin
              Server: x
            /docs/
              Content-Security-Policy: sandbox
            """
        try folder.write("site/_headers", rules.utf8)
        let server = try await Program("h5").start(["serve", "site"], in: folder.path)
        let address = try #require(server.firstLine)
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        func response(to path: String, _ method: String = "GET") async throws -> String {
            let request = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            return try await RawExchange.run(Data(request.utf8), port: port)
        }
        func fields(of response: String) -> [String: String] {
            let lines = response.prefix(upTo: response.range(of: "\r\n\r\n")?.lowerBound ?? response.endIndex)
                .components(separatedBy: "\r\n").dropFirst()
            let pairs = lines.compactMap { line in
                line.range(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
            }
            return Dictionary(pairs, uniquingKeysWith: { "\($0) AND \($1)" })
        }
        for (path, method, status, sandboxed) in [
            ("/docs/", "GET", 200, true), ("/docs/", "HEAD", 200, true), ("/a%20b.js", "GET", 200, false),
            ("//docs/", "GET", 404, false), ("/./docs/", "GET", 404, false),
            ("/none", "GET", 404, false), ("/_headers", "GET", 404, false), ("//%5Fheaders", "HEAD", 404, false),
        ] {
            let text = try await response(to: path, method)
            #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
            #expect(fields(of: text)["cross-origin-opener-policy"] == "same-origin", "\(text)")
            #expect(fields(of: text)["content-security-policy"] == (sandboxed ? "sandbox" : nil), "\(text)")
            #expect(fields(of: text)["server"] != "x", "\(text)")
        }
        let redirect = try await response(to: "/docs")
        #expect(redirect.hasPrefix("HTTP/1.1 30") && fields(of: redirect)["location"] == "/docs/", "\(redirect)")
        #expect(fields(of: redirect)["cross-origin-opener-policy"] == nil, "\(redirect)")
        try folder.write("site/_headers", "/none\n  Referrer-Policy: no-referrer\n".utf8)
        #expect(fields(of: try await response(to: "/none"))["referrer-policy"] == "no-referrer")
        try folder.write("site/_headers", "/*\n  Referrer-Policy\n".utf8)
        let failed = try await response(to: "/docs/")
        #expect(failed.hasPrefix("HTTP/1.1 500") && failed.contains("bad-manifest: line 2: "), "\(failed)")
        #expect(await server.end(by: SIGTERM) == 0)
        // The command refuses a file that `h5 pack` refuses.
        let refused = try await Program("h5").run("serve", "site", in: folder.path)
        #expect(refused.status == 65 && refused.errors.hasPrefix("error: bad-manifest: line 2: "), "\(refused.errors)")
    }

    @Test("If the folder is a link that is switched, files and fields come from the folder of the start")
    func switchedLink() async throws {
        let folder = try TemporaryFolder()
        for name in ["one", "two"] {
            try folder.write("\(name)/index.html", "<!doctype html>\(name)".utf8)
            try folder.write("\(name)/_headers", "/*\n  Link: <\(name)>\n".utf8)
        }
        let link = folder.path + "/current"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "one")
        let server = try await Program("h5").start(["serve", "current"], in: folder.path)
        let address = try #require(server.firstLine)
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "two")
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let response = try await RawExchange.run(Data(request.utf8), port: port)
        #expect(response.contains("<one>") && response.hasSuffix("<!doctype html>one"), "\(response)")
        #expect(await server.end(by: SIGTERM) == 0)
    }

    @Test("Only the first warnings of _headers are printed, and the number of the others")
    func manyWarnings() async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/_headers", ("/*\n" + String(repeating: "  Server: x\n", count: 1_000)).utf8)
        let other = try await OriginServer.start(OriginServer.Configuration())
        let outcome = try await Program("h5").run("serve", "site", "--port", "\(other.port)", in: folder.path)
        await other.stop()
        let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(outcome.status == 69 && lines.count == 21, "\(outcome.errors)")
        #expect(lines.last == "warning: 980 more warnings (_headers)", "\(outcome.errors)")
    }

    @Test("A port in use gives one error line")
    func portInUse() async throws {
        let other = try await OriginServer.start(OriginServer.Configuration())
        try await fails(69, "serve", "site", "--port", "\(other.port)")
        await other.stop()
    }

    @Test("A missing folder and a file in place of a folder are refused")
    func badInput() async throws {
        try await fails(66, "serve", "missing", saying: "no such folder")
        try await fails(66, "serve", "site/index.html", saying: "not a folder")
    }

    @Test(
        "The error for an invalid value names the option, the permitted values, and the value",
        arguments: [
            ("--port", "99999", "0 to 65535"), ("--port", "http", "0 to 65535"), ("--rtt", "-5", "0 to 60000"),
            ("--down", "0", "1 to 10000000"), ("--up", "-1", "1 to 10000000"),
            ("--fault", "explode:/x", "known are reset"),
        ])
    func values(option: String, value: String, allowed: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        let outcome = try await Program("h5").run("serve", "site", option, value, in: folder.path)
        #expect(outcome.status == 64 && outcome.output.isEmpty && outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("error: usage: "))
        for part in [option, "'\(value)'", allowed] { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    }
}
