// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

/// `h5 trust` with a small repository, over real connections.
///
/// Tests/Fixtures/trust has two roots, a delegated role, and a target of each targets role. python-tuf 7.0 has signed
/// it with keys that were not kept. The timestamp expires at the start of 2049, other metadata a year later.
@Suite("h5 trust", .timeLimit(.minutes(1)))
struct TrustCommandTests {
    private static let checkout = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let targets = ["notes.txt", "app/shop+1.json"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let fixture = Self.checkout.appendingPathComponent("Tests/Fixtures/trust").path
        try FileManager.default.copyItem(atPath: fixture, toPath: folder.path + "/repository")
        for name in ["trusted", "files"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
    }

    private func trust(_ arguments: [String], now: String = "2030-01-01T00:00:00Z") async throws -> Program.Outcome {
        try await Program("h5").run(["trust", "--metadata-dir", "trusted", "--now", now] + arguments, in: folder.path)
    }

    private func refresh(_ url: String, now: String = "2030-01-01T00:00:00Z") async throws -> Program.Outcome {
        try await trust(["--metadata-url", url + "/metadata/", "refresh"], now: now)
    }

    private func download(
        _ origin: OriginServer, _ names: [String], _ options: String...
    ) async throws -> Program.Outcome {
        let urls = ["--metadata-url", origin.url + "/metadata", "--target-base-url", origin.url + "/targets"]
        let targets = names.flatMap { ["--target-name", $0] } + ["--target-dir", "files"]
        return try await trust(urls + targets + options + ["download"])
    }

    private func expect(
        _ status: Int32, _ code: String, _ outcome: Program.Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.hasPrefix("error: \(code): "), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    /// Calls `body` with a server of the repository and a folder that trusts its first root.
    private func withRepository(_ body: (OriginServer) async throws -> Void) async throws {
        let outcome = try await trust(["init", "repository/metadata/1.root.json"])
        try #require(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.errors)")
        let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path + "/repository"))
        do {
            try await body(origin)
        } catch {
            await origin.stop()
            throw error
        }
        await origin.stop()
    }

    /// Replaces the notes of the server with other bytes.
    private func replaceNotes(with text: String) throws {
        let names = try folder.files(in: "repository/targets")
        let name = try #require(names.first { $0.hasSuffix(".notes.txt") })
        try folder.write("repository/targets/" + name, text.utf8)
    }

    @Test("Each target is downloaded once, and again if its file has changed")
    func downloads() async throws {
        try await withRepository { origin in
            let refreshed = try await refresh(origin.url)
            #expect(refreshed.status == 0 && refreshed.output.isEmpty, "\(refreshed.errors)")
            let names = ["2.root", "3.root", "timestamp", "1.snapshot", "1.targets"]
            #expect(origin.requests.map(\.path) == names.map { "/metadata/\($0).json" })
            #expect(origin.requests.allSatisfy { $0.headers[.acceptEncoding] == "identity" })
            let stored = ["root.json", "snapshot.json", "targets.json", "timestamp.json"]
            #expect(try folder.files(in: "trusted") == stored)

            let first = try await download(origin, Self.targets, "--json")
            #expect(first.status == 0, "\(first.errors)")
            let json = """
                [{"bytes":6,"downloaded":true,"path":"files/notes.txt","target":"notes.txt"},\
                {"bytes":14,"downloaded":true,"path":"files/app%2Fshop%2B1.json","target":"app/shop+1.json"}]

                """
            #expect(first.output == json)
            #expect(try folder.files(in: "files") == ["app%2Fshop%2B1.json", "notes.txt"])
            #expect(try folder.text(of: "files/notes.txt") == "notes\n")
            #expect(try folder.text(of: "files/app%2Fshop%2B1.json") == #"{"id":"shop"}"# + "\n")
            #expect(origin.requests.count { $0.path.hasPrefix("/targets/") } == 2)

            try folder.write("files/notes.txt", "other\n".utf8)
            let second = try await download(origin, Self.targets)
            #expect(second.status == 0, "\(second.errors)")
            #expect(
                second.output == "notes.txt: 6 bytes, downloaded\napp/shop+1.json: 14 bytes, already there\n")
            #expect(try folder.text(of: "files/notes.txt") == "notes\n")
            #expect(origin.requests.count { $0.path.hasPrefix("/targets/") } == 3)
        }
    }

    @Test("A target with other bytes is refused, and ends the command", arguments: ["other\n", "notes\n\n"])
    func tampered(text: String) async throws {
        try await withRepository { origin in
            try replaceNotes(with: text)
            let outcome = try await download(origin, Self.targets)
            expect(77, "mismatch", outcome)
            #expect(outcome.output.isEmpty)
            #expect(try folder.names(below: "files").isEmpty)
        }
    }

    @Test("Missing documents and targets have status 66, expired metadata 77, and failed requests 69")
    func failures() async throws {
        try await withRepository { origin in
            expect(77, "expired", try await refresh(origin.url, now: "2049-01-01T00:00:00Z"))
            #expect(try await refresh(origin.url, now: "2048-12-31T23:59:59Z").status == 0)
            expect(66, "no-target", try await download(origin, ["app/notes.txt"]))
            let notes = try await download(origin, ["notes.txt", "none", "app/shop+1.json"])
            expect(66, "no-target", notes)
            #expect(notes.output == "notes.txt: 6 bytes, downloaded\n")
            try FileManager.default.removeItem(atPath: folder.path + "/repository/targets/app")
            expect(66, "not-found", try await download(origin, ["app/shop+1.json"]))
            try FileManager.default.removeItem(atPath: folder.path + "/repository/metadata/timestamp.json")
            expect(66, "not-found", try await refresh(origin.url))
        }
        let away = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/metadata/*"))) { _ in
                    OriginResponse(.found, headers: [.location: "/"])
                }
            ]))
        let redirected = try await refresh(away.url)
        #expect(away.requestCount == 1)
        await away.stop()
        expect(69, "bad-status", redirected)
        expect(69, "cannot-connect", try await refresh("http://127.0.0.1:1"))
        expect(66, "no-input", try await trust(["init", "missing.json"]))
        try folder.write("large.json", [UInt8](repeating: 0x20, count: 512_001))
        expect(77, "too-large", try await trust(["init", "large.json"]))
        try FileManager.default.removeItem(atPath: folder.path + "/trusted/root.json")
        expect(74, "io", try await refresh("http://127.0.0.1:1"))
    }

    @Test(
        "Options and values that an action does not have are refused with the usage",
        arguments: [
            [], ["list"], ["init"], ["refresh"], ["download"], ["--metadata-url", "http://a.test/", "refresh", "root"],
            ["--metadata-url", "http://a.test/?a", "refresh"], ["--metadata-url", "file:///a", "refresh"],
            ["--metadata-url", "http://a.test/", "--target-dir", "files", "refresh"],
            ["--metadata-url", "http://a.test/", "--target-name", "a", "--target-dir", "files", "download"],
            ["--now", "today", "--metadata-url", "http://a.test/", "refresh"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await Program("h5").run(["trust", "--metadata-dir", "trusted"] + arguments, in: folder.path)
        expect(64, "usage", outcome)
        #expect(outcome.output.isEmpty)
    }

    @Test("The client of the conformance suite exits with 0 or 1")
    func conformanceClient() async throws {
        let client = Program(at: Self.checkout.appendingPathComponent("Tests/Conformance/tuf-client").path)
        let program = try Program("h5").path
        func run(_ arguments: String...) async throws -> Program.Outcome {
            try await client.run(
                ["--metadata-dir", "trusted"] + arguments, in: folder.path, environment: ["H5": program])
        }
        try await withRepository { origin in
            #expect(try await run("init", "repository/metadata/1.root.json").status == 0)
            #expect(try await run("--metadata-url", origin.url + "/metadata/", "refresh").status == 0)
            let refused = try await run("--metadata-url", origin.url + "/none/", "refresh")
            #expect(refused.status == 1 && refused.errorLines.count == 1, "\(refused.errors)")
        }
    }
}
