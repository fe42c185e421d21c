// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import ResourceStore
import Testing

@testable import OfflinePackage

/// Tests of installs from archives in the file system, with the default reader.
@Suite(.timeLimit(.minutes(1)))
struct ArchiveFileTests {
    let fixture: Fixture
    let library: PackageLibrary
    let zip: String
    let site: Site = [
        "index.html": "home", "lab/ü.js": String(repeating: "code ", count: 100_000), "empty.js": "",
    ]

    init() throws {
        fixture = try Fixture()
        library = try PackageLibrary(store: fixture.store)
        zip = fixture.directory.path + "/shop.zip"
        try ZipWriter().write(to: zip) { archive in
            for (path, text) in site.sorted(by: { $0.key < $1.key }) {
                try archive.begin(ArchivePath(path), size: Int64(text.utf8.count), method: .deflated)
                if !text.isEmpty { try archive.append(Data(text.utf8)) }
            }
        }
    }

    @Test func installs() async throws {
        try await library.install(archive: zip, manifest: fixture.manifest(site, version: "1"))
        let response = try await PackageLoader(library).load(.init(request("https://shop.example/lab/%C3%BC.js")))
        #expect(try await response?.body.collect(upTo: 1 << 20).count == 500_000)
        #expect(FileManager.default.fileExists(atPath: zip))
    }

    @Test func installsTarball() async throws {
        let folder = fixture.directory.path + "/site"
        for (path, text) in site {
            let file = URL(filePath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-C", folder, "-czf", fixture.directory.path + "/shop.tar.gz", "."]
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
        try await library.install(
            archive: fixture.directory.path + "/shop.tar.gz", manifest: fixture.manifest(site, version: "1"))
        #expect(library.installed.count == 1)
    }

    @Test func rejectsOtherFiles() async throws {
        let path = fixture.directory.path + "/text.zip"
        try Data("this is no archive".utf8).write(to: URL(filePath: path))
        #expect(await code(path) == .notAnArchive)
        #expect(await code(fixture.directory.path + "/none.zip") == .noInput)
    }

    @Test(arguments: [0.3, 0.6, 0.9])
    func rejectsTruncatedArchive(_ part: Double) async throws {
        let data = try Data(contentsOf: URL(filePath: zip))
        try data.prefix(Int(Double(data.count) * part)).write(to: URL(filePath: zip))
        #expect(await code(zip) != nil)
        #expect(library.installed == [])
        #expect(try fixture.directory.files(in: "store/staging") == [])
    }

    @Test func flippedBitIsRejectedOrHarmless() async throws {
        let data = try Data(contentsOf: URL(filePath: zip))
        var refused = 0
        for offset in stride(from: 0, to: data.count, by: 61) {
            var broken = data
            broken[offset] ^= 0x40
            try broken.write(to: URL(filePath: zip))
            if await code(zip) != nil {
                refused += 1
                #expect(library.installed == [], "byte \(offset)")
                continue
            }
            // The bit is in unused data, for example a time stamp, so the files must be correct.
            for (path, text) in site {
                let url = "https://shop.example/\(path.replacing("ü", with: "%C3%BC"))"
                let body = try await PackageLoader(library).load(.init(request(url)))?.body
                #expect(try await body?.collect(upTo: 1 << 20) == Data(text.utf8), "byte \(offset)")
            }
            try await library.remove(PackageID("shop"))
            try await library.sweep()
        }
        #expect(refused > 0)
        #expect(try fixture.directory.files(in: "store/staging") == [])
    }

    /// Returns the code of the error of an install.
    private func code(_ archive: String) async -> PackageError.Code? {
        do {
            try await library.install(archive: archive, manifest: fixture.manifest(site, version: "1"))
            return nil
        } catch {
            return (error as? PackageError)?.code ?? .io
        }
    }
}
