// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// The injected script on pages that try to detect it, and on hostile pages.
    @Suite("The injected script", .timeLimit(.minutes(5)))
    struct BridgeTests {
        struct Report: Decodable {
            var results: [Value]
            var server: [String: [Sent]]
        }

        struct Sent: Decodable {
            var method: String
            var language: String?
            var length: Int
            var sha256: String
            var bytes: Data?
        }

        /// A JSON value.
        indirect enum Value: Decodable, Equatable {
            case text(String)
            case list([Value])
            case object([String: Value])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let object = try? container.decode([String: Value].self) {
                    self = .object(object)
                } else if let list = try? container.decode([Value].self) {
                    self = .list(list)
                } else if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else if let number = try? container.decode(Double.self) {
                    self = .text("\(number)")
                } else {
                    self = .text((try? container.decode(Bool.self)).map { "\($0)" } ?? "null")
                }
            }

            subscript(key: String) -> Value? {
                if case .object(let members) = self { members[key] } else { nil }
            }

            /// Returns the strings by their position.
            func leaves(at place: String = "") -> [String: String] {
                switch self {
                case .text(let text): [place: text]
                case .list(let list):
                    list.enumerated().reduce(into: [place + "#": "\(list.count)"]) { all, item in
                        all.merge(item.element.leaves(at: "\(place)/\(item.offset)")) { $1 }
                    }
                case .object(let members):
                    members.reduce(into: [:]) { all, member in
                        all.merge(member.value.leaves(at: "\(place)/\(member.key)")) { $1 }
                    }
                }
            }
        }

        private static let site = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/bridge").path

        func run(_ mode: String, at path: String = "/", _ steps: String...) async throws -> Report {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness")
                .run(["bridge", folder.path, Self.site, mode, path] + steps, in: folder.path)
            // No page may end the browser process.
            try #require(outcome.status == 0, "\(outcome.errors)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        }

        /// The senders whose bodies are lost, as documented. Either the injected script has not run in their world, or
        /// the page replaces the value with a Blob after the script has read it.
        private static let empty: Set<String> = ["pristineEmpty", "sendAfterSend", "sendWithinSend"]
        /// The senders whose body is a proxy of a Blob. The engine sends it as the text of an object.
        private static let asText: Set<String> = ["blobProxy"]

        @Test(
            "On hostile pages the container survives, bodies arrive completely or not at all, and the token is secret",
            arguments: ["^world", "^form", "^(?!world|form)"])
        func hostilePages(names: String) async throws {
            let report = try await run(
                "scheme",
                "run:await load('hostile.js'); return await runAttacks("
                    + "Object.keys(attacks).filter((name) => /\(names)/.test(name)))")
            let page = try #require(report.results.first)
            #expect(page["seen"] == .list([]), "the page has seen the token")
            #expect(page["errors"] == .list([]))
            var arrived = 0
            for (name, bodies) in report.server where !Self.asText.contains(name) {
                for body in bodies where !(body.length == 0 && Self.empty.contains(name)) {
                    let text = String(decoding: body.bytes ?? Data(), as: UTF8.self)
                    #expect(text.contains("body of \(name)"), "\(name) has sent another body: \(text)")
                    arrived += 1
                }
            }
            #expect(arrived > 5)
        }

        @Test(
            "An uncovered frame cannot read the token, even if it changes built-in functions before the script runs again"
        )
        func uncoveredFrames() async throws {
            let report = try await run("scheme", "run:await load('hostile.js'); return await uncovered()")
            guard case .object(let frames) = report.results.first else {
                Issue.record("no frame has reported")
                return
            }
            #expect(frames.count > 20)
            let token = try Regex("(?:^|[^0-9A-Za-z_])[0-9a-f]{32}(?:$|[^0-9A-Za-z_])")
            let name = try Regex("_[0-9a-f]{32}")
            for (change, frame) in frames {
                #expect(frame["place"] == .text("https://bare.example/uncovered.html?\(change)"))
                #expect(frame["isAgain"] == .text("true"), "\(change): the script ran only once")
                guard case .text(let found) = frame["found"] else {
                    Issue.record("\(change): nothing was recorded")
                    continue
                }
                #expect(found.firstMatch(of: name) != nil, "\(change): the frame sees no message name")
                #expect(found.firstMatch(of: token) == nil, "\(change): the frame has seen the token")
            }
        }

        /// The positions at which the description differs, with the reason.
        private static let differing: [(pattern: String, reason: String)] = [
            (
                "^/(here|blank)/[^/]+/(value|get|set)/pristine$",
                "a proxy has another string in a world without the script"
            ),
            ("^/blank/[^/]+/(value|get|set)/texts/", "each world knows only its own functions"),
        ]

        @Test(
            "The engine's functions have the properties of the plain engine's", arguments: ["scheme", "forced"])
        func surface(mode: String) async throws {
            let step = "run:await load('surface.js'); return await surface()"
            let plain = try #require(try await run("plain", step).results.first).leaves()
            let found = try #require(try await run(mode, step).results.first).leaves()
            #expect(plain.count > 5_000)
            let patterns = try Self.differing.map { try Regex($0.pattern) }
            let differing = Set(plain.keys).union(found.keys).sorted().filter { plain[$0] != found[$0] }
            // The script is present.
            #expect(["fetch", "cookie"].allSatisfy { name in differing.contains { $0.contains(name) } })
            for place in differing {
                let isKnown = patterns.contains { place.firstMatch(of: $0) != nil }
                #expect(isKnown, "\(place): \(found[place] ?? "none"), plain: \(plain[place] ?? "none")")
            }
        }

        @Test(
            "A page's policy forbids the same as in the plain engine, but not the script's own requests",
            arguments: [
                "connect-src 'none'", "connect-src 'self'", "connect-src https://forms.example/record/",
                "default-src 'self'",
                "connect-src https://other.example", "sandbox allow-scripts allow-same-origin",
            ])
        func policies(policy: String) async throws {
            let path = "/policy?" + (policy.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            let step = """
                run:const body = () => new Blob(["a body"]);
                const request = new XMLHttpRequest();
                request.open("POST", "/record/xhr");
                const end = new Promise((done) => { request.onloadend = () => done(request.responseText || "failed") });
                try { request.send(body()) } catch (error) { }
                return [
                    await fetch("/record/fetch", { method: "POST", body: body() }).then((r) => r.text(), (e) => e.name),
                    await fetch("/record/text", { method: "POST", body: "a body" }).then((r) => r.text(), (e) => e.name),
                    await Promise.race([end, new Promise((done) => setTimeout(done, 2000, "nothing"))]),
                ]
                """
            let plain = try await run("plain", at: path, step)
            let scheme = try await run("scheme", at: path, step)
            #expect(plain.results == scheme.results)
            #expect(plain.server.mapValues { $0.map(\.bytes) } == scheme.server.mapValues { $0.map(\.bytes) })
        }

        private static let post = """
            const form = document.createElement("form");
            form.method = "post"; form.innerHTML = "<input name=a value=b><button>";
            document.body.append(form);
            """

        @Test(
            "A posted form of the page is redirected, also to the page's own URL",
            arguments: ["plain", "scheme"])
        func forms(mode: String) async throws {
            let moved = try await run(
                mode, "run:\(Self.post) form.action = '/moved'; form.lastChild.click();",
                "until:return document.body?.textContent === 'landed'")
            #expect(moved.server["moved"]?.map(\.method) == ["POST"])
            let same = try await run(
                mode, "run:\(Self.post) form.action = '/same'; form.lastChild.click();",
                "until:return document.body?.textContent === 'same'")
            #expect(same.server["same"]?.map(\.method) == ["POST", "GET"])
        }

        @Test("A large upload has bounded memory, and the response to a POST is streamed")
        func streams() async throws {
            let report = try await run(
                "scheme",
                """
                run:const answer = await fetch("/slow", { method: "POST", body: new Blob(["x"]) });
                const reader = answer.body.getReader();
                const text = async () => new TextDecoder().decode((await reader.read()).value);
                const first = await text();
                await fetch("/go");
                return [first, await text()];
                """,
                "run:await fetch('/count', { method: 'POST', body: new Blob([new Uint8Array(1 << 20)]) })",
                "forgetPeak", "peak",
                """
                run:const piece = new Uint8Array(1 << 20).fill(7);
                const body = new Blob(Array(120).fill(piece));
                return (await (await fetch("/count", { method: "POST", body })).json())[0];
                """,
                "peak")
            #expect(report.results[0] == .list([.text("first"), .text("second")]))
            let numbers = report.results.compactMap { if case .text(let text) = $0 { Double(text) } else { nil } }
            #expect(numbers[1] == Double(120 << 20))
            // The values are in KB. The relay buffers 4 MB at a time.
            #expect(numbers[2] - numbers[0] < 64 * 1_024, "\(numbers)")
        }
    }
}
