// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

/// `h5 verify` with the metadata of a repository that has one release of the package `shop`.
@Suite("h5 verify with signatures", .timeLimit(.minutes(2)))
struct SignedVerifyTests {
    private static let archive = "repository/targets/shop/shop-1.zip"
    private static let trustedRoot = "--trusted-root=repository/metadata/1.root.json"
    private static let metadata = "--metadata=repository/metadata"

    private let folder: TemporaryFolder
    private let manifest: String

    init() async throws {
        let folder = try TemporaryFolder()
        func h5(_ arguments: String...) async throws {
            let outcome = try await Program("h5").run(arguments, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        try folder.write("site/index.html", "<!doctype html>".utf8)
        for (key, repository) in [("key", "repository"), ("thief", "other")] {
            try await h5("keys", "create", key)
            try await h5("keys", "init", repository, "--root", key, "--targets", key, "--online", key)
        }
        try await h5(
            "publish", "site", "--repository", "repository", "--id", "shop", "--version", "1", "--base-url",
            "https://shop.example/", "--key", "key")
        try FileManager.default.createDirectory(atPath: folder.path + "/temporary", withIntermediateDirectories: false)
        let names = try folder.files(in: "repository/targets/shop")
        manifest = "repository/targets/shop/" + (try #require(names.first { $0.hasSuffix(".1.json") }))
        self.folder = folder
    }

    /// Runs the command, and expects that it leaves no temporary files.
    private func verify(_ arguments: [String]) async throws -> Program.Outcome {
        let outcome = try await Program("h5").run(
            ["verify"] + arguments, in: folder.path, environment: ["TMPDIR": folder.path + "/temporary"])
        #expect(try folder.names(below: "temporary").isEmpty)
        return outcome
    }

    private func fails(
        _ status: Int32, _ code: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await verify(arguments)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.hasPrefix("error: \(code): "), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errorLines.count == 1 && outcome.output.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("The release of a repository is verified from a folder and from a server")
    func signed() async throws {
        let plain = try await verify([Self.archive, manifest])
        #expect(plain.status == 0 && plain.output.hasSuffix("; not compared: signatures\n"), "\(plain.errors)")
        let unsigned = try await verify([Self.archive, manifest, "--json"])
        #expect(unsigned.output.contains(#""signed":false"#), "\(unsigned.errors)")

        let text = try await verify([Self.archive, manifest, Self.trustedRoot, Self.metadata])
        #expect(text.status == 0 && text.output.hasPrefix("1 files, 15 bytes, 1 digests\n"), "\(text.errors)")
        #expect(text.output.hasSuffix("of shop 1, and the manifest with the signed metadata\n"), "\(text.output)")

        let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path + "/repository"))
        let json = try await verify([
            Self.archive, manifest, "--json", Self.trustedRoot, "--metadata", origin.url + "/metadata/",
        ])
        let requests = origin.requests.map(\.path)
        await origin.stop()
        #expect(json.status == 0 && json.output.contains(#""signed":true"#), "\(json.errors)")
        let names = ["2.root", "timestamp", "2.snapshot", "2.targets"]
        #expect(requests == names.map { "/metadata/\($0).json" })
    }

    @Test("A manifest that the trusted keys have not signed is refused, and so are expired and other metadata")
    func refused() async throws {
        let other = "--trusted-root=other/metadata/1.root.json"
        try await fails(77, "unsigned", Self.archive, manifest, other, Self.metadata)
        try await fails(
            77, "expired", Self.archive, manifest, Self.trustedRoot, Self.metadata, "--now", "2999-01-01T00:00:00Z")

        // The same manifest with another byte, whose digests of files still match the archive.
        try folder.write("manifest.json", Array(try folder.text(of: manifest).utf8) + [0x20])
        #expect(try await verify([Self.archive, "manifest.json"]).status == 0)
        try await fails(77, "mismatch", Self.archive, "manifest.json", Self.trustedRoot, Self.metadata)

        let packed = try await Program("h5").run(
            "pack", "site", "--id", "shop", "--version", "2", "--base-url", "https://shop.example/", in: folder.path)
        try #require(packed.status == 0, "\(packed.errors)")
        #expect(try await verify(["shop-2.zip", "shop-2.json"]).status == 0)
        try await fails(77, "no-target", "shop-2.zip", "shop-2.json", Self.trustedRoot, Self.metadata)

        let targets = "repository/metadata/2.targets.json"
        let changed = try folder.text(of: targets).replacingOccurrences(of: "production", with: "productiom")
        try folder.write(targets, changed.utf8)
        try await fails(77, "mismatch", Self.archive, manifest, Self.trustedRoot, Self.metadata)
    }

    @Test("The options belong together, and missing files have status 66")
    func usage() async throws {
        let (root, metadata) = (Self.trustedRoot, Self.metadata)
        try await fails(64, "usage", Self.archive, manifest, root)
        try await fails(64, "usage", Self.archive, manifest, metadata)
        try await fails(64, "usage", Self.archive, root, metadata)
        try await fails(64, "usage", Self.archive, manifest, "--now", "2030-01-01T00:00:00Z")
        try await fails(64, "usage", Self.archive, manifest, root, "--metadata", "ftp://shop.example/metadata")
        try await fails(66, "no-input", Self.archive, manifest, "--trusted-root", "none", metadata)
        try await fails(66, "no-input", Self.archive, manifest, root, "--metadata", "none")
        try FileManager.default.createDirectory(atPath: folder.path + "/empty", withIntermediateDirectories: false)
        try await fails(66, "no-input", Self.archive, manifest, root, "--metadata", "empty")
        // A pipe without a writer, which would block.
        #expect(mkfifo(folder.path + "/empty/timestamp.json", 0o600) == 0)
        try await fails(74, "io", Self.archive, manifest, root, "--metadata", "empty")
        try await fails(77, "bad-metadata", Self.archive, manifest, "--trusted-root", manifest, metadata)
    }
}
