// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Invalid input gives one error line and the documented exit status, without partial results or a hang.
    @Suite("Bad input", .timeLimit(.minutes(3)))
    struct BadInputTests {
        private func fails(
            _ status: Int32, _ code: String, in folder: String, environment: [String: String?] = [:],
            _ arguments: String..., saying parts: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let outcome = try await Program("container-browser").run(arguments, in: folder, environment: environment)
            #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
            #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
            let line = outcome.errorLines.first ?? ""
            #expect(
                line.hasPrefix("error: \(code): ") && line.hasSuffix(")"), "\(line)", sourceLocation: sourceLocation)
            // The line has one code, one location, and no internal names.
            #expect(line.split(separator: "://").count <= 2, "\(line)", sourceLocation: sourceLocation)
            #expect(
                !line.contains("containerkit") && !line.contains("Error"), "\(line)", sourceLocation: sourceLocation)
            for part in parts { #expect(line.contains(part), "\(line)", sourceLocation: sourceLocation) }
        }

        @Test("Without a display, the command fails")
        func noDisplay() async throws {
            let folder = try TemporaryFolder()
            try await fails(
                69, "no-display", in: folder.path, environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil], "open",
                "http://127.0.0.1:9/")
        }

        @Test("Without a display, the contest fails before it packs a site")
        func noDisplayForContest() async throws {
            let folder = try TemporaryFolder()
            try await fails(
                69, "no-display", in: folder.path, environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil], "bench",
                "--sites", "missing", "--report", "report")
            #expect(try folder.names().isEmpty)
        }

        @Test("A contest without a site fails")
        func contestWithoutSites() async throws {
            let folder = try TemporaryFolder()
            try await fails(66, "no-input", in: folder.path, "bench", saying: ["--sites", "build/sites", "make demo"])
            try await fails(
                66, "no-input", in: folder.path, "bench", "--sites", "missing", saying: ["no such folder (missing)"])
        }

        @Test("An unknown command fails")
        func unknownCommand() async throws {
            let folder = try TemporaryFolder()
            try await fails(
                64, "usage", in: folder.path, "opne", "http://127.0.0.1:9/",
                saying: ["no command 'opne': there are open, run, bench"])
        }

        @Test("An archive without its manifest fails")
        func missingManifest() async throws {
            let folder = try TemporaryFolder()
            _ = try folder.write("site.zip", "no zip".utf8)
            try await fails(
                66, "no-input", in: folder.path, "open", "http://127.0.0.1:9/", "--mode", "scheme", "--package",
                "site.zip", saying: ["no manifest site.json next to the archive", "(site.zip)"])
            try await fails(
                66, "no-input", in: folder.path, "open", "http://127.0.0.1:9/", "--mode", "scheme", "--package",
                "none.zip", saying: ["no such file (none.zip)"])
        }

        @Test("A missing or invalid prefetch table fails")
        func badPrefetchTable() async throws {
            let folder = try TemporaryFolder()
            _ = try folder.write("text.json", "no table".utf8)
            _ = try folder.write("list.json", "[]".utf8)
            for (file, status, code) in [
                ("none.json", 66, "no-input"), ("text.json", 65, "bad-json"), ("list.json", 65, "bad-table"),
            ] as [(String, Int32, String)] {
                try await fails(
                    status, code, in: folder.path, "open", "http://127.0.0.1:9/", "--mode", "scheme", "--prefetch",
                    file, saying: [file])
            }
        }

        @Test("The contest refuses networks without a meaningful comparison", arguments: ["none", "offline"])
        func uselessNetwork(name: String) async throws {
            let folder = try TemporaryFolder()
            try await fails(
                64, "usage", in: folder.path, "bench", "--sites", "a", "--network", name,
                saying: ["'\(name)'", "'4g', 'slow-4g' or '3g'"])
            let help = try await Program("container-browser").run("bench", "--help", in: folder.path)
            #expect(help.output.contains("4g, slow-4g") && !help.output.contains(name), "\(help.output)")
        }

        @Test("A host that does not exist fails", arguments: ["plain", "scheme"])
        func unknownHost(mode: String) async throws {
            let folder = try TemporaryFolder()
            let url = "http://no-such-host.invalid/"
            try await fails(69, "unknown-host", in: folder.path, "open", url, "--mode", mode, saying: ["(\(url))"])
        }

        @Test("A port without a listener fails", arguments: ["plain", "scheme"])
        func refused(mode: String) async throws {
            let folder = try TemporaryFolder()
            let origin = try await OriginServer.start(OriginServer.Configuration())
            await origin.stop()
            let url = origin.url + "/"
            try await fails(69, "cannot-connect", in: folder.path, "open", url, "--mode", mode, saying: ["(\(url))"])
            try await fails(
                69, "offline", in: folder.path, "open", url, "--mode", mode, "--network", "offline",
                saying: ["the network is cut ("])
        }

        @Test("A port that the engine blocks fails", arguments: [1, 25, 6_000], ["plain", "scheme"])
        func blocked(port: Int, mode: String) async throws {
            let folder = try TemporaryFolder()
            let url = "http://127.0.0.1:\(port)/"
            try await fails(69, "blocked", in: folder.path, "open", url, "--mode", mode, saying: ["(\(url))"])
            let outcome = try await Program("container-browser").run(
                "run", url, "--mode", mode, "--print", "1", "--until", "true", in: folder.path)
            #expect(outcome.status == 69 && outcome.output.contains(#""error":"blocked: "#), "\(outcome.output)")
        }

        @Test("A page that never finishes times out")
        func stalled() async throws {
            let shop = try await Shop(faults: "stall:/style.css")
            try await fails(
                69, "timed-out", in: shop.folder.path, "open", shop.page, "--timeout", "2", "--mode", "scheme",
                saying: ["after 2.0 seconds", "(\(shop.page))"])
            await shop.origin.stop()
        }

        @Test("An invalid zip, a mismatched manifest, a wrong digest and a missing manifest fail")
        func packages() async throws {
            let shop = try await Shop()
            let archive = try shop.pack()
            let manifest = archive.replacing(".zip", with: ".json")
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
            let zip = try Data(contentsOf: URL(fileURLWithPath: archive))
            // A manifest without file positions, as for archives of other tools, makes the installer read the zip
            // itself.
            var plain = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            plain["archive"] = nil
            plain["files"] = (plain["files"] as? [[String: Any]])?.map { file in
                file.filter { !["offset", "packed", "method"].contains($0.key) }
            }
            let unplaced = String(decoding: try JSONSerialization.data(withJSONObject: plain), as: UTF8.self)
            let cases: [(status: Int32, code: String, name: String, zip: Data, manifest: String?)] = [
                (65, "mismatch", "text", Data("not a zip".utf8), text),
                (65, "not-an-archive", "bare", Data("not a zip".utf8), unplaced),
                (65, "mismatch", "longer", zip + Data([0]), text),
                (65, "mismatch", "other", zip, unplaced.replacing("style.css", with: "other.css")),
                (
                    65, "digest-mismatch", "hash", zip,
                    text.replacing(
                        #/"path":"style.css","sha256":"[0-9a-f]{64}"/#,
                        with: #""path":"style.css","sha256":"\#(String(repeating: "0", count: 64))""#)
                ),
                (66, "no-input", "alone", zip, nil),
            ]
            for bad in cases {
                try shop.folder.write("\(bad.name).zip", bad.zip)
                if let manifest = bad.manifest { try shop.folder.write("\(bad.name).json", manifest.utf8) }
                try await fails(
                    bad.status, bad.code, in: shop.folder.path, "open", shop.page, "--mode", "scheme", "--package",
                    "\(bad.name).zip")
            }
            await shop.origin.stop()
            #expect(shop.origin.requestCount == 0)
        }

        @Test("Unusable command lines fail")
        func usage() async throws {
            let folder = try TemporaryFolder()
            try await fails(64, "usage", in: folder.path, "open")
            try await fails(64, "usage", in: folder.path, "open", "http://127.0.0.1:9/", "--mode", "sideways")
            try await fails(64, "usage", in: folder.path, "run", "http://127.0.0.1:9/", "--urls", "x", "--print", "1")
            try await fails(66, "no-input", in: folder.path, "run", "--urls", "missing.txt", "--print", "1")
        }

        @Test(
            "The error for an invalid value names the option, the permitted values, and the value",
            arguments: [
                (["--network", "bogus"], ["--network", "'bogus'", "'slow-4g'", "'offline'"]),
                (["--mode", "bogus"], ["--mode", "'bogus'", "'plain'", "'scheme'"]),
                (["--runs", "0"], ["--runs", "'0'", "1 to 1000"]), (["--runs", "-5"], ["--runs", "'-5'"]),
                (["--runs", "two"], ["--runs", "'two'", "1 to 1000"]),
                (["--timeout", "-3"], ["--timeout", "'-3'", "0.001 to 86400 seconds"]),
                (["--timeout", "inf"], ["--timeout", "'inf'"]), (["--timeout", "1e300"], ["--timeout", "'1e300'"]),
            ])
        func values(options: [String], parts: [String]) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("container-browser").run(["open", "http://h/"] + options, in: folder.path)
            #expect(outcome.status == 64 && outcome.output.isEmpty && outcome.errorLines.count == 1)
            for part in parts { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
        }

        @Test("An invalid URL and an invalid port fail")
        func urls() async throws {
            let folder = try TemporaryFolder()
            try await fails(64, "invalid-url", in: folder.path, "open", "shop", saying: ["(shop)"])
            for port in ["0", "99999"] {
                let url = "http://127.0.0.1:\(port)/"
                try await fails(
                    64, "invalid-url", in: folder.path, "open", url, saying: ["port is 1 to 65535", "(\(url))"])
            }
        }

        @Test("An unwritable result path is reported before the page is opened")
        func outputs() async throws {
            let shop = try await Shop()
            try shop.folder.write("file", "".utf8)
            for (option, path) in [
                ("--screenshot", "file/page.png"), ("--screenshot", "site"), ("--report", "file/report"),
                ("--report", "file"), ("--screenshot", "/proc/page.png"),
            ] {
                try await fails(74, "io", in: shop.folder.path, "open", shop.page, option, path, saying: [option])
            }
            try await fails(
                74, "io", in: shop.folder.path, "run", shop.page, "--print", "1", "--out", "none/lines",
                saying: ["--out"])
            await shop.origin.stop()
            #expect(shop.origin.requestCount == 0)
            // A failed opening creates no report folder either.
            try await fails(69, "cannot-connect", in: shop.folder.path, "open", shop.page, "--report", "a/report")
            try await fails(69, "cannot-connect", in: shop.folder.path, "open", shop.page, "--suggest", "a/suggested")
            #expect(try shop.folder.names().allSatisfy { !$0.hasPrefix(".") && $0 != "a" })
        }

        @Test("Scripts with syntax errors are reported before a page is opened")
        func scripts() async throws {
            let shop = try await Shop()
            let folder = shop.folder.path
            for (arguments, option, fault) in [
                (["--print", "1", "--until", "ready("], "--until", "SyntaxError: it ends too early"),
                (["--print", "1)"], "--print", "SyntaxError: Unexpected token ')'"),
                (["--print", "f(g()"], "--print", "SyntaxError: it ends too early"),
                (["--print", "(1)) + 2"], "--print", "SyntaxError: Unexpected token ')'"),
                (["--print", "1", "--until", "a b"], "--until", "SyntaxError: Unexpected identifier 'b'"),
                (["--print", "", "--until", "true"], "--print", "empty"),
            ] {
                let outcome = try await Program("container-browser").run(
                    ["run", shop.page, "--out", "lines"] + arguments, in: folder)
                #expect(outcome.status == 64 && outcome.errorLines.count == 1, "\(outcome.errors)")
                #expect(outcome.errors.hasPrefix("error: usage: \(option) is not a JavaScript expression: \(fault)"))
            }
            try shop.folder.write("bad.js", "let x = ;".utf8)
            let outcome = try await Program("container-browser").run(
                "run", shop.page, "--print", "1", "--user-script", "bad.js", in: folder)
            #expect(outcome.status == 65 && outcome.errors.hasPrefix("error: bad-script: "), "\(outcome.errors)")
            #expect(outcome.errors.hasSuffix("(bad.js)\n"))
            await shop.origin.stop()
            #expect(shop.origin.requestCount == 0)
            #expect(!FileManager.default.fileExists(atPath: folder + "/lines"))
        }
    }
}
