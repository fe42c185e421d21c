// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import Testing

/// The program of the plugin `pack-site`.
@Suite("pack-site", .timeLimit(.minutes(2)))
struct PackSiteTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        try folder.write("site/app.js.map", "{}".utf8)
        try folder.write("site/app.js", "go()".utf8)
        try folder.write("site/draft/a.html", "a".utf8)
    }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program("pack-site").run(arguments, in: folder.path)
    }

    @Test("The files have names without the version, and h5 verifies them")
    func pack() async throws {
        for version in ["1", "2"] {
            let outcome = try await run(
                "site", "--id", "shop", "--version", version, "--base-url", "https://shop.example", "--out",
                "Sources/App/Baseline", "--complete", "--exclude", "draft/")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("Sources/App/Baseline/shop.zip: 2 files, "))
            #expect(outcome.errors == "skipped: app.js.map (sourceMap)\nskipped: draft (excluded)\n")
            #expect(try folder.files(in: "Sources") == ["App/Baseline/shop.json", "App/Baseline/shop.zip"])
            let verified = try await Program("h5").run(
                "verify", "Sources/App/Baseline/shop.zip", "Sources/App/Baseline/shop.json", in: folder.path)
            #expect(verified.status == 0 && verified.output.contains("shop \(version)"))
        }
    }

    @Test("The archive has the bytes of h5 pack")
    func sameBytes() async throws {
        let options = ["--id", "shop", "--version", "1", "--base-url", "https://shop.example/", "--out", "out"]
        let packed = try await Program("h5").run(["pack", "site"] + options, in: folder.path)
        let outcome = try await Program("pack-site").run(["site"] + options, in: folder.path)
        try #require(packed.status == 0 && outcome.status == 0)
        for type in ["zip", "json"] {
            let files = try ["shop-1.\(type)", "shop.\(type)"].map {
                try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/out/\($0)"))
            }
            #expect(files[0] == files[1])
        }
    }

    @Test(
        "A wrong argument is refused with the usage",
        arguments: [
            [], ["site"], ["site", "--id"], ["site", "--id", "a", "--id", "b"], ["a", "b", "--id", "c"],
            ["site", "--id", "a", "--version", "1", "--base-url", "https://a.example/"], ["site", "--fast"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await Program("pack-site").run(arguments, in: folder.path)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: usage: ") && outcome.errors.contains("pack-site SITE --id ID"))
    }

    @Test("A value that is not valid, and a missing folder, are errors of one line")
    func errors() async throws {
        for (id, site, url) in [
            (".a", "site", "https://a.example/"), ("a", "none", "https://a.example/"),
            ("a", "site", "ftp://a.example/"),
        ] {
            let outcome = try await run(site, "--id", id, "--version", "1", "--base-url", url, "--out", "out")
            #expect(outcome.status == 65 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
        }
    }
}
