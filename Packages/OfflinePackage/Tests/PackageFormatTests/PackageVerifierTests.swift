// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

@Suite("Package verifier", .timeLimit(.minutes(1)))
struct PackageVerifierTests {
    private let folder: TemporaryFolder
    private let archive: String
    private let manifest: PackageManifest

    init() throws {
        folder = try TemporaryFolder()
        archive = try folder.write("a.zip", ZipMaker("index.html", "js/app.js").bytes())
        manifest = try PackageManifest(
            id: PackageID("shop"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://shop.example/"),
            files: ["index.html", "js/app.js"].map {
                try .init(
                    path: ArchivePath($0), size: 5, sha256: SHA256Digest(of: Data("hello".utf8)), mediaType: "a/b")
            })
    }

    private func refuses(_ code: PackageError.Code, _ change: (inout PackageManifest) throws -> Void) throws {
        var manifest = manifest
        try change(&manifest)
        expectRefusal(code) { try PackageVerifier().verify(archive, against: manifest) }
    }

    @Test("A package that matches its manifest passes")
    func passes() throws {
        #expect(try PackageVerifier().verify(archive).files == 2)
        let summary = try PackageVerifier().verify(archive, against: manifest)
        #expect(summary.files == 2 && summary.bytes == 10)
    }

    @Test("Every difference is rejected")
    func differs() throws {
        try refuses(.mismatch) { $0.files.removeLast() }
        try refuses(.mismatch) { manifest in
            var file = manifest.files[0]
            file.path = try ArchivePath("zzz")
            manifest.files.append(file)
        }
        try refuses(.mismatch) { $0.files[0].path = try ArchivePath("index.htm") }
        try refuses(.mismatch) { $0.files[1].size = 6 }
        try refuses(.digestMismatch) { $0.files[1].sha256 = SHA256Digest(of: Data()) }
        // A manifest that was created in memory may contain a file twice.
        try refuses(.badManifest) { $0.files.append($0.files[0]) }
    }
}
