// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

extension RealEngine {
    /// `container-browser run` with several pages.
    @Suite("Scripted runs", .timeLimit(.minutes(3)))
    struct RunTests {
        @Test(
            "Each page gets a line, and a failing page does not stop the others", arguments: ["plain", "scheme"])
        func lines(mode: String) async throws {
            let shop = try await Shop(faults: "stall:/stalled.html,reset:/reset.html")
            try shop.folder.write("site/other.html", "<title>Other</title>".utf8)
            let names = ["index.html", "stalled.html", "reset.html", "other.html"]
            try shop.folder.write("urls.txt", names.map { "\(shop.origin.url)/\($0)\n" }.joined().utf8)
            let outcome = try await Program("container-browser").run(
                "run", "--urls", "urls.txt", "--mode", mode, "--print", "document.title", "--timeout", "8", "--out",
                "lines.ndjson", in: shop.folder.path)
            await shop.origin.stop()
            #expect(outcome.status == 69 && outcome.output.isEmpty, "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
            let failed = "(\(shop.origin.url)/stalled.html)"
            #expect(outcome.errors.hasPrefix("error: pages-failed: 2 of 4 pages failed, the first with timed-out"))
            // The engine's processes may write to standard error after the line.
            #expect(outcome.errorLines.last?.hasSuffix(failed) == true, "\(outcome.errors)")
            let text = try String(contentsOfFile: shop.folder.path + "/lines.ndjson", encoding: .utf8)
            let lines = try text.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            try #require(lines.count == 4, "\(text)")
            #expect(lines.map { $0["url"] as? String } == names.map { "\(shop.origin.url)/\($0)" })
            #expect(lines[0]["value"] as? String == "Shop" && lines[0]["timedOut"] as? Bool == false)
            #expect(
                lines[1]["timedOut"] as? Bool == true
                    && (lines[1]["error"] as? String)?.hasPrefix("timed-out: ") == true)
            #expect(lines[2]["error"] is String && lines[2]["timedOut"] as? Bool == false)
            #expect(lines[3]["value"] as? String == "Other")
        }

        @Test(
            "A page that stops its load, or whose navigation ends without a document, has not failed",
            arguments: ["plain", "proxy", "scheme"])
        func stoppedLoads(mode: String) async throws {
            let shop = try await Shop(faults: "stall:/stalled.html")
            let ends = "setTimeout(() => window.done = true, 1000)"
            let pages = [
                "stop.html": "stop(); \(ends)",
                "navigation.html": """
                onload = () => setTimeout(() => {
                    location.href = "stalled.html"; setTimeout(() => { stop(); \(ends) }, 500);
                }, 0)
                """,
                "download.html": #"onload = () => setTimeout(() => { location.href = "file.bin"; \#(ends) }, 0)"#,
                "frame.html": #"""
                const frame = document.body.appendChild(document.createElement("iframe"));
                frame.src = "stalled.html"; setTimeout(() => { frame.contentWindow.stop(); \#(ends) }, 500);
                """#,
            ]
            try shop.folder.write("site/file.bin", [0, 1, 2, 255])
            for (name, script) in pages {
                try shop.folder.write(
                    "site/\(name)", "<!doctype html><title>Kept</title><body><script>\(script)</script>".utf8)
            }
            let names = pages.keys.sorted()
            try shop.folder.write("urls.txt", names.map { "\(shop.origin.url)/\($0)\n" }.joined().utf8)
            let outcome = try await Program("container-browser").run(
                "run", "--urls", "urls.txt", "--mode", mode, "--until", "window.done", "--print", "document.title",
                "--timeout", "30", in: shop.folder.path)
            await shop.origin.stop()
            #expect(outcome.status == 0, "\(outcome.errors) \(outcome.output)")
            let values = try outcome.output.split(separator: "\n").map {
                (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["value"] as? String
            }
            #expect(values == names.map { _ in "Kept" }, "\(outcome.output)")
        }

        @Test(
            "The exit status reports the result",
            arguments: [
                ("document.title", "true", 0), ("missing.name", "true", 65), ("document.title", "missing.name", 69),
            ] as [(String, String, Int32)])
        func status(expression: String, condition: String, status: Int32) async throws {
            let shop = try await Shop()
            let outcome = try await Program("container-browser").run(
                "run", shop.page, "--print", "\(expression) // a comment", "--until", condition, "--timeout", "2",
                in: shop.folder.path)
            await shop.origin.stop()
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.output.split(separator: "\n").count == 1)
            #expect(outcome.errorLines.count == (status == 0 ? 0 : 1))
            #expect(outcome.output.contains(#""error":"#) == (status != 0), "\(outcome.output)")
        }

        @Test(
            "Bridges can be forced exactly in the modes that do not need them",
            arguments: ["proxy", "server", "scheme", "plain"])
        func bridges(mode: String) async throws {
            let shop = try await Shop()
            // Scripts cannot detect the bridge by arguments, but by the stack depth in a getter.
            let depth = """
                (() => {
                    let depth = 0;
                    fetch("/", { get method() { depth = new Error().stack.split("\\n").length; return "GET"; } });
                    return depth;
                })()
                """
            func run(_ bridge: String...) async throws -> Program.Outcome {
                try await Program("container-browser").run(
                    ["run", shop.page, "--mode", mode, "--print", depth] + bridge, in: shop.folder.path)
            }
            let without = try await run()
            let with = try await run("--bridge", "body,cookie")
            let unknown = try await run("--bridge", "body,bodies")
            await shop.origin.stop()
            #expect(without.status == 0, "\(without.errors)")
            #expect(unknown.status == 64 && unknown.errors.contains("bodies"), "\(unknown.errors)")
            guard mode != "plain" else {
                #expect(with.status == 64 && with.errorLines.count == 1, "\(with.errors)")
                #expect(with.errors.contains("--mode proxy"), "\(with.errors)")
                return
            }
            let depths = try [without, with].map { try value(of: $0) }
            #expect(mode == "scheme" ? depths[0] == depths[1] : depths[0] < depths[1], "\(depths)")
        }

        @Test("The user's languages reach servers and scripts in every mode")
        func languages() async throws {
            let folder = try TemporaryFolder()
            for mode in ["plain", "scheme", "proxy", "server"] {
                let shop = try await Shop()
                let outcome = try await Program("container-browser").run(
                    [
                        "run", shop.page, "--mode", mode, "--print",
                        "fetch('/').then(() => Number(navigator.language === 'de-AT'))",
                    ],
                    in: folder.path, environment: ["LANGUAGE": "de_AT:fr", "LC_ALL": "C.UTF-8"])
                let said = Set(shop.origin.requests.map { $0.headers[.acceptLanguage] })
                await shop.origin.stop()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(said == ["de-AT,de;q=0.90,fr;q=0.80"], "\(mode)")
                #expect(try value(of: outcome) == 1)
            }
        }

        private func value(of outcome: Program.Outcome) throws -> Int {
            let line = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            return try #require(line?["value"] as? Int, "\(outcome.output)\(outcome.errors)")
        }
    }
}
