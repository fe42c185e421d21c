// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

// Forms with a file whose response replaces the document that contains the file.
extension RealEngine.BridgeTests {
    private func arrived(_ text: String, at cell: String, in report: Report) -> Bool {
        report.server[cell]?.contains { sent in
            sent.method == "POST" && String(decoding: sent.bytes ?? Data(), as: UTF8.self).contains(text)
        } ?? false
    }

    private static let shown =
        "until:return document.body?.textContent === 'recorded' && document.readyState === 'complete'"

    /// The path of the script with `makeForm`, for pages that do not load the script themselves.
    private static let fixture = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/bridge/own.js").path

    @Test("A form that replaces its page sends its file with every kind of submission", arguments: ["plain", "scheme"])
    func replacing(mode: String) async throws {
        for (way, target) in [("click", ""), ("submit", "_self"), ("requestSubmit", "_top"), ("submit", "_parent")] {
            let report = try await run(
                mode,
                """
                run:await load('own.js'); const form = makeForm('/record/own', ['file of own']);
                form.target = '\(target)'; submissions.\(way)(form)
                """,
                Self.shown)
            #expect(arrived("file of own", at: "own", in: report), "\(way) \(target)")
            #expect(report.server["own"]?.count == 1, "\(way) \(target)")
        }
    }

    @Test(
        "A form that replaces its page sends its file under any policy",
        arguments: [
            "connect-src 'none'", "default-src 'self' 'unsafe-inline'; connect-src 'none'",
            "sandbox allow-scripts allow-same-origin allow-forms",
        ])
    func replacingUnderPolicy(policy: String) async throws {
        let source = try String(contentsOfFile: Self.fixture, encoding: .utf8)
        let path = "/policy?" + (policy.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        for mode in ["plain", "scheme"] {
            let report = try await run(
                mode, at: path,
                "run:\(source)\nmakeForm('/record/own', ['file of own']).requestSubmit()", Self.shown)
            #expect(arrived("file of own", at: "own", in: report), "\(mode)")
        }
    }

    @Test("A form that is submitted while another form waits for its response sends its file")
    func again() async throws {
        for mode in ["plain", "scheme"] {
            let report = try await run(
                mode, "run:await load('own.js'); makeForm('/never/first', ['file of first']).requestSubmit()",
                "arrived:first",
                "run:makeForm('/record/second', ['file of second']).requestSubmit()", Self.shown)
            #expect(arrived("file of first", at: "first", in: report), "\(mode)")
            #expect(arrived("file of second", at: "second", in: report), "\(mode)")
        }
    }

    @Test("Forms in several frames that are submitted simultaneously to one URL each send their own file")
    func together() async throws {
        for mode in ["plain", "scheme"] {
            let report = try await run(mode, "run:await load('own.js'); return await together(4)")
            #expect(report.results.last == .list(Array(repeating: .text("true"), count: 4)), "\(mode)")
        }
    }

    @Test("A large file of a form that replaces its page arrives completely, with bounded memory")
    func large() async throws {
        let report = try await run(
            "scheme",
            "run:await load('own.js'); globalThis.part = new Uint8Array(1 << 20).fill(7)",
            "forgetPeak", "peak",
            "run:makeForm('/count', Array(100).fill(part)).requestSubmit()",
            "until:return document.body?.textContent.startsWith('[')",
            "run:return JSON.parse(document.body.textContent)[0] - (100 << 20)",
            "peak")
        let numbers = report.results.compactMap { if case .text(let text) = $0 { Double(text) } else { nil } }
        // The remaining bytes are the multipart lines around the file.
        let around = try #require(numbers.dropLast().last)
        #expect((100..<400).contains(around), "\(numbers)")
        let first = try #require(numbers.first { $0 > 1_000 })
        // The values are in KB. The relay stores the body in a file.
        #expect(try #require(numbers.last) - first < 64 * 1_024, "\(numbers)")
    }
}
