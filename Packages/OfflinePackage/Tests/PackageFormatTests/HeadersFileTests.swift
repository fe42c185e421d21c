// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

@Suite("The file _headers", .timeLimit(.minutes(1)))
struct HeadersFileTests {
    private func read(_ text: String) throws -> HeadersFile {
        try HeadersFile(Data(text.utf8), at: "_headers")
    }

    @Test("Paths, fields, comments and line ends are read")
    func reads() throws {
        let text =
            "\u{FEFF}# a comment\r\n/*\r\n  x-frame-options:  DENY \r\n\t# more\n\n  Link: </a>; rel=preload\n"
            + "  Link: </b>; rel=preload\n/empty\n/app/*\n  Content-Security-Policy: default-src 'self'; a:b"
        let file = try read(text)
        #expect(
            try file.rules == [
                ResponseFieldRule(
                    path: "/*",
                    fields: ["X-Frame-Options": "DENY", "Link": "</a>; rel=preload, </b>; rel=preload"]),
                ResponseFieldRule(path: "/app/*", fields: ["Content-Security-Policy": "default-src 'self'; a:b"]),
            ])
        #expect(file.warnings.isEmpty)
        #expect(try read("").rules.isEmpty)
    }

    @Test(
        "Fields that a package cannot have are left out with a warning that names the line",
        arguments: [
            "Set-Cookie: a=b", "Strict-Transport-Security: max-age=1", "Content-Type: text/html",
            "Content-Encoding: br", "Content-Length: 1", "Location: /", "Transfer-Encoding: chunked", "ETag: x",
            "Access-Control-Allow-Credentials: true", "Clear-Site-Data: *", "Service-Worker-Allowed: /",
            "Cache-Control: max-age=31536000, immutable", "Cache-Control: no-cache=\"x\"", "! X-Frame-Options: x",
            "Cache-Control: max-age=1, no-cache foo", "! X-Frame-Options", "Link: é", "Link: a\tb",
        ])
    func leftOut(_ line: String) throws {
        let file = try read("/*\n  Referrer-Policy: no-referrer\n  \(line)\n")
        #expect(try file.rules == [ResponseFieldRule(path: "/*", fields: ["Referrer-Policy": "no-referrer"])])
        #expect(file.warnings.count == 1 && file.warnings[0].hasPrefix("line 3: "))
    }

    @Test(
        "Paths that only hosts support are left out with their fields and a warning that names the line",
        arguments: ["/blog/:slug", "https://shop.example/*", "http://:project.example/a", "/*/*", "/%41"])
    func leftOutPaths(_ path: String) throws {
        let file = try read("/a\n  Link: x\n\n\(path)\n  X-Frame-Options: DENY\n  Set-Cookie: a=b\n/b\n  Link: y\n")
        #expect(
            try file.rules == [
                ResponseFieldRule(path: "/a", fields: ["Link": "x"]),
                ResponseFieldRule(path: "/b", fields: ["Link": "y"]),
            ])
        #expect(file.warnings.count == 1 && file.warnings[0].hasPrefix("line 4: "))
    }

    @Test(
        "Invalid lines are rejected with their number",
        arguments: [
            ("  X-Frame-Options: DENY\n", 1), ("/a\n\n  X-Frame-Options\n", 3), ("/a\n  Link: a\u{0}b\n", 2),
            ("/a\n  Link: a\rb\n", 2), ("/a\n  Link:\n", 2), ("a\n", 1), ("ftp://shop.example/*\n", 1),
            ("/:a\u{1}\n", 1), ("/:a\n  X-Frame-Options\n", 2), ("/a\u{1}\n", 1),
            ("/a\n  Link: \(String(repeating: "x", count: 8_193))\n", 2),
        ])
    func invalid(_ text: String, _ line: Int) {
        let error = #expect(throws: PackageError.self) { try read(text) }
        #expect(error?.code == .badManifest && error?.message.hasPrefix("line \(line): ") == true)
        #expect(error?.message.contains("\n") == false)
    }

    @Test("The number of rules and their size are limited")
    func limits() throws {
        let rule = "/a\n  Link: x\n"
        #expect(try read(String(repeating: rule, count: 100)).rules.count == 100)
        #expect(throws: PackageError.self) { try read(String(repeating: rule, count: 101)) }
        let long = "/a\n  Link: \(String(repeating: "x", count: 8_000))\n"
        #expect(try read(String(repeating: long, count: 8)).rules.count == 8)
        let error = #expect(throws: PackageError.self) { try read(String(repeating: long, count: 9)) }
        #expect(error?.code == .tooLarge)
    }

    @Test("The number of kept warnings is limited, and a last line has the number of the others")
    func warningLimit() throws {
        let file = try read("/*\n" + String(repeating: "  Server: x\n", count: 1_000))
        #expect(file.warnings.count == 100 && file.warningCount == 1_000)
        #expect(file.warnings.last?.hasPrefix("line 101: ") == true)
        #expect(file.warnings(limit: 20) == file.warnings.prefix(20) + ["980 more warnings"])
        #expect(file.warnings(limit: 100).last == "900 more warnings")
        let short = try read("/*\n" + String(repeating: "  Server: x\n", count: 21))
        #expect(short.warnings(limit: 20).last == "1 more warning")
        #expect(short.warnings(limit: 21) == short.warnings && short.warningCount == 21)
    }

    @Test("The file in the root of a folder is read; a link, a pipe and a long file are refused")
    func inFolder() throws {
        let folder = try TemporaryFolder()
        #expect(try HeadersFile.read(inFolder: folder.path)?.rules == nil)
        #expect(try HeadersFile.read(inFolder: folder.path + "/none")?.rules == nil)
        let path = try folder.write("_headers", "/*\n  Link: x\n  Server: y\n".utf8)
        #expect(try HeadersFile.read(inFolder: path)?.rules == nil)
        let file = try #require(try HeadersFile.read(inFolder: folder.path))
        #expect(try file.rules == [ResponseFieldRule(path: "/*", fields: ["Link": "x"])])
        #expect(file.warnings.count == 1)
        try folder.write("_headers", [UInt8](repeating: 10, count: (64 << 10) + 1))
        expectRefusal(.tooLarge) { try HeadersFile.read(inFolder: folder.path) }
        try folder.write("_headers", [0xFF])
        expectRefusal(.badManifest) { try HeadersFile.read(inFolder: folder.path) }
        try folder.write("target", "/*\n  Link: x\n".utf8)
        let replacements: [() throws -> Void] = [
            { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "target") },
            { try #require(mkfifo(path, 0o600) == 0) },
        ]
        for replace in replacements {
            try FileManager.default.removeItem(atPath: path)
            try replace()
            expectRefusal(.specialFile) { try HeadersFile.read(inFolder: folder.path) }
        }
        try FileManager.default.removeItem(atPath: path)
        try folder.write("_headers/a.txt", "a".utf8)
        #expect(try HeadersFile.read(inFolder: folder.path)?.rules == nil)
    }
}
