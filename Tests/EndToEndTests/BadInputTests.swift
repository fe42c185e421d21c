// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Bad input: one error line, the documented exit status, nothing half-done, no hang.
    @Suite("Bad input", .timeLimit(.minutes(3)))
    struct BadInputTests {
        private func fails(
            _ status: Int32, _ code: String, in folder: String, environment: [String: String?] = [:],
            _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let outcome = try await Program("container-browser").run(arguments, in: folder, environment: environment)
            #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
            #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(
                outcome.errorLines.first?.hasPrefix("error: \(code): ") == true, "\(outcome.errors)",
                sourceLocation: sourceLocation)
        }

        @Test("No display")
        func noDisplay() async throws {
            let folder = try TemporaryFolder()
            try await fails(
                69, "no-display", in: folder.path, environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil], "open",
                "http://127.0.0.1:9/")
        }

        @Test("A host that does not exist", arguments: ["plain", "scheme"])
        func unknownHost(mode: String) async throws {
            let folder = try TemporaryFolder()
            let code = mode == "plain" ? "unknown-host" : "load-failed"
            try await fails(69, code, in: folder.path, "open", "http://no-such-host.invalid/", "--mode", mode)
        }

        @Test("A port where nobody listens")
        func refused() async throws {
            let folder = try TemporaryFolder()
            let origin = try await OriginServer.start(OriginServer.Configuration())
            await origin.stop()
            try await fails(69, "cannot-connect", in: folder.path, "open", origin.url + "/")
        }

        @Test("A port that browsers block", arguments: ["plain", "scheme"], [1, 25, 6000])
        func blockedPort(mode: String, port: Int) async throws {
            let folder = try TemporaryFolder()
            try await fails(
                69, "blocked", in: folder.path, "open", "http://127.0.0.1:\(port)/", "--mode", mode, "--timeout", "20")
        }

        @Test("A page that never finishes")
        func stalled() async throws {
            let shop = try await Shop(faults: "stall:/style.css")
            try await fails(
                69, "timed-out", in: shop.folder.path, "open", shop.page, "--timeout", "2", "--mode", "scheme")
            await shop.origin.stop()
        }

        @Test("A zip that is not one, a manifest that does not match, a wrong hash, no manifest")
        func packages() async throws {
            let shop = try await Shop()
            let archive = try shop.pack()
            let manifest = archive.replacing(".zip", with: ".json")
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
            let cases: [(status: Int32, code: String, name: String, zip: Data, manifest: String?)] = [
                (65, "not-an-archive", "text", Data("not a zip".utf8), text),
                (
                    65, "mismatch", "other", try Data(contentsOf: URL(fileURLWithPath: archive)),
                    text.replacing("\"style.css\"", with: "\"other.css\"")
                ),
                (
                    65, "digest-mismatch", "hash", try Data(contentsOf: URL(fileURLWithPath: archive)),
                    text.replacing(
                        #/"sha256":\s*"[0-9a-f]{64}"/#, with: "\"sha256\":\"\(String(repeating: "0", count: 64))\"")
                ),
                (66, "no-input", "alone", try Data(contentsOf: URL(fileURLWithPath: archive)), nil),
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

        @Test("What cannot be understood")
        func usage() async throws {
            let folder = try TemporaryFolder()
            try await fails(64, "usage", in: folder.path, "open")
            try await fails(64, "usage", in: folder.path, "open", "http://127.0.0.1:9/", "--mode", "sideways")
            try await fails(64, "usage", in: folder.path, "run", "http://127.0.0.1:9/", "--urls", "x", "--print", "1")
            try await fails(66, "no-input", in: folder.path, "run", "--urls", "missing.txt", "--print", "1")
        }
    }
}
