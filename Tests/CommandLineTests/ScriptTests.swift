// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The exit status of scripts that run programs.
@Suite("Scripts", .timeLimit(.minutes(1)))
struct ScriptTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A stand-in for an `xvfb-run` whose clean-up fails after the program has ended.
    private static let clumsyRunner = """
        #!/bin/bash
        while [[ $1 == --* ]]; do shift; done
        "$@"
        exit 5
        """

    @Test(
        "with-display returns the program's exit status even if xvfb-run fails",
        arguments: [0, 3, 5] as [Int32])
    func display(status: Int32) async throws {
        let folder = try TemporaryFolder()
        let runner = try folder.write("bin/xvfb-run", Self.clumsyRunner.utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runner)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let outcome = try await Program(at: Self.root.appendingPathComponent("Scripts/with-display").path).run(
            ["bash", "-c", "touch ran; exit \(status)"], in: folder.path,
            environment: ["PATH": "\(folder.path)/bin:\(path)", "TMPDIR": folder.path])
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(try folder.names().sorted() == ["bin", "bin/xvfb-run", "ran"])
    }

    /// Results of the parts of a comparison, in which document mode meets its bars if a page paints in 100 ms.
    private static func results(paint: Int) -> [String: String] {
        let plain = #""plain": {"none": {"errors": [], "paint": 150, "bytes": 9, "failed": [], "pixels": 0}}"#
        let document = """
            "document": {"none": {"errors": [], "paint": \(paint), "bytes": 0, "failed": [], "pixels": 0},
            "offline": {"errors": [], "paint": 99, "bytes": 0, "failed": [], "pixels": 1234}}
            """
        let scheme = """
            "scheme": {"none": {"errors": [], "paint": 100, "bytes": 0, "failed": ["/a.json"], "pixels": 2},
            "offline": {"errors": ["error: offline: the network is cut"], "paint": null, "bytes": null}}
            """
        return [
            "wpt.json": """
            {"date": "2001-02-03", "checks": 3075, "lost": {"document": 50, "scheme": 309, "proxy": 4, "server": 1000}}
            """,
            "bodies.json": """
            {"date": "2001-02-04", "engine": "Engine 1.2", "cells": 1261,
            "different": {"document": [], "scheme": ["form.click.charset"], "proxy": [], "server": null}}
            """,
            "opens.json": """
            {"date": "2001-02-04", "rounds": 3, "network": "4g", "sites": {"Site": {\(plain), \(document), \(scheme)}}}
            """,
            "start.json": """
            {"date": "2001-02-04", "rounds": 3,
            "sites": {"Site": {"plain": {"frame": 0.25}, "document": {"frame": 0.5}, "scheme": {}}}}
            """,
        ]
    }

    @Test("compare-modes writes the table of kept results, and fails if document mode misses a bar")
    func comparison() async throws {
        let folder = try TemporaryFolder()
        let script = Program(at: Self.root.appendingPathComponent("Scripts/compare-modes").path)
        func document(paint: Int) async throws -> (outcome: Program.Outcome, text: String) {
            for (name, text) in Self.results(paint: paint) { try folder.write("results/\(name)", text.utf8) }
            let outcome = try await script.run(
                "--from", folder.path + "/results", "--out", folder.path + "/modes.md", in: folder.path)
            return (outcome, try String(contentsOfFile: folder.path + "/modes.md", encoding: .utf8))
        }
        let met = try await document(paint: 110)
        #expect(met.outcome.status == 0, "\(met.outcome.errors)")
        for line in [
            "Engine: Engine 1.2. Date: 2001-02-03 to 2001-02-04. The mode takeover exists on WKWebView only and is not measured.",
            "| | site | plain | document | scheme | proxy | server |",
            "| web-platform checks lost, of 3,075 |  | 0 | 50 | 309 | 4 | 1,000 |",
            "| cells of the body matrix that differ, of 1,261 |  | 0 | 0 | 1 | 0 | fails |",
            "| cases passed |  | not run | not run | not run | not run | not run |",
            "| pixels that differ, network on | Site | 0 | 0 | 2 | – | – |",
            "| pixels that differ, network cut | Site | – | 1,234 | fails | – | – |",
            "| more failed requests, network on | Site | 0 | 0 | 1 | – | – |",
            "| first contentful paint | Site | 150 ms (1.50) | 110 ms (1.10) | 100 ms (1.00) | – | – |",
            "| script time at document start | Site | 0.25 ms | 0.50 ms (+0.25) | fails | fails | fails |",
            "| memory of the web process |  | not run | not run | not run | not run | not run |",
            "- failed requests of Site with the network on, scheme mode: `/a.json`",
            "- at most a quarter of the checks that custom-scheme mode loses: 0.16: **met**",
        ] {
            #expect(met.text.split(separator: "\n").contains { $0 == line }, "\(line)\n\(met.text)")
            if line.hasPrefix("| ") { #expect(met.outcome.output.contains(line + "\n")) }
        }
        let missed = try await document(paint: 111)
        #expect(missed.outcome.status == 1)
        #expect(missed.outcome.errorLines.count == 1 && missed.outcome.errors.contains("Site 1.11"))
    }

    @Test("compare-modes counts the pixels that differ, except those that vary in the plain engine")
    func pixels() async throws {
        let folder = try TemporaryFolder()
        let script = Self.root.appendingPathComponent("Scripts/compare-modes").path
        // Each row of a picture of 3 × 5 pixels has another filter of the format (PNG, section 9).
        let test = #"""
            import importlib.machinery, importlib.util, struct, sys, zlib
            loader = importlib.machinery.SourceFileLoader("script", sys.argv[1])
            script = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
            loader.exec_module(script)
            def chunk(kind, data):
                return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            def picture(rows):
                data, above = b"", bytes(9)
                for number, row in enumerate(rows):
                    data += bytes([number])
                    for place, value in enumerate(row):
                        left = row[place - 3] if place > 2 else 0
                        corner = above[place - 3] if place > 2 else 0
                        up = above[place]
                        whole = left + up - corner
                        near = min((left, up, corner), key=lambda guess: abs(whole - guess))
                        data += bytes([(value - [0, left, up, (left + up) // 2, near][number]) & 255])
                    above = row
                head = struct.pack(">IIBBBBB", 3, 5, 8, 2, 0, 0, 0)
                return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data))
                        + chunk(b"IEND", b""))
            rows = [bytes((number * 97 + place * place * 31) % 256 for place in range(9)) for number in range(5)]
            def changed(*places):
                return picture([bytes(value ^ ((number, place) in places) for place, value in enumerate(row))
                                for number, row in enumerate(rows)])
            plain = picture(rows)
            print(script.pixels(plain)[0] == rows, script.differing(plain, plain, []),
                  script.differing(plain, changed((1, 0), (1, 2), (4, 8)), []),
                  script.differing(plain, changed((1, 0), (4, 8)), [changed((4, 7))]),
                  script.differing(plain, picture(rows[:4]), []))
            """#
        let file = try folder.write("test.py", test.utf8)
        let outcome = try await Program(at: "/usr/bin/env").run("python3", file, script, in: folder.path)
        #expect(outcome.output == "True 0 2 1 15\n", "\(outcome.output)\(outcome.errors)")
    }
}
