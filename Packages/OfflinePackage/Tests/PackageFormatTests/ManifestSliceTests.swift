// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

/// Tests of the slices that a manifest contains.
@Suite("Manifest slices", .timeLimit(.minutes(1)))
struct ManifestSliceTests {
    private let folder: TemporaryFolder
    private let archive: String
    private let manifest: PackageManifest

    init() throws {
        folder = try TemporaryFolder()
        archive = try folder.write("a.zip", ZipMaker("a.html", "b.js", "empty").bytes())
        let hello = Data("hello".utf8)
        manifest = try PackageManifest(
            id: PackageID("shop"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://shop.example/"),
            files: ["a.html", "b.js", "empty"].map {
                try .init(path: ArchivePath($0), size: 5, sha256: SHA256Digest(of: hello), mediaType: "a/b")
            })
    }

    private func located(_ archive: String? = nil) throws -> PackageManifest {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive ?? self.archive))
        return try manifest.locating(
            files: ZipValidator().validate(bytes),
            in: PackageManifest.Archive(size: Int64(bytes.count), sha256: SHA256Digest(of: bytes)))
    }

    @Test("Slices are encoded with the file's other keys and decoded again")
    func roundTrip() throws {
        let manifest = try located()
        let data = try manifest.encoded()
        #expect(try PackageManifest(decoding: data) == manifest)
        #expect(try PackageManifest(decoding: data).encoded() == data)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#"{"archive":{"sha256":"\#(manifest.archive?.sha256.hex ?? "")","size":"#))
        #expect(text.contains(#"{"method":"stored","offset":36,"packed":5,"path":"a.html","sha256":"#))
        #expect(manifest.withoutSlices() == self.manifest)
        #expect(try !String(decoding: self.manifest.encoded(), as: UTF8.self).contains("archive"))
    }

    @Test("Slices contain the bytes of the files")
    func bytes() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        for file in try located().files {
            let slice = try #require(file.slice)
            #expect(bytes[Int(slice.offset)..<Int(slice.end)] == Data("hello".utf8))
        }
    }

    @Test("Slices with missing keys, or of only some files, are rejected")
    func halves() throws {
        var half = try located()
        half.files[1].slice = nil
        expectRefusal(.badManifest) { try half.encoded() }
        half = try located()
        half.archive = nil
        expectRefusal(.badManifest) { try half.encoded() }
        half = manifest
        half.archive = try located().archive
        expectRefusal(.badManifest) { try half.encoded() }
        let text = String(decoding: try located().encoded(), as: UTF8.self)
        for wrong in [
            text.replacing(#""method":"stored","#, with: ""), text.replacing(/"offset":\d+,/, with: ""),
            text.replacing(/"packed":\d+,/, with: ""), text.replacing("stored", with: "lzma"),
            text.replacing(#""offset":36"#, with: #""offset":"36""#), text.replacing(/"archive":{[^}]*},/, with: ""),
            text.replacing(#""offset":36"#, with: #""offset":-36"#),
            text.replacing(#""packed":5"#, with: #""packed":9223372036854775807"#),
        ] {
            #expect(wrong != text)
            expectRefusal(.badManifest, comment: "\(wrong)") { try PackageManifest(decoding: Data(wrong.utf8)) }
        }
    }

    @Test("Slices outside the archive, overlapping slices and slices with a wrong size are rejected")
    func impossible() throws {
        func refuses(
            _ code: PackageError.Code = .badManifest, sourceLocation: SourceLocation = #_sourceLocation,
            _ change: (inout PackageManifest.File, inout ArchiveSlice) -> Void
        ) throws {
            var manifest = try located()
            var slice = try #require(manifest.files[1].slice)
            change(&manifest.files[1], &slice)
            manifest.files[1].slice = slice
            expectRefusal(code, sourceLocation: sourceLocation) { try manifest.validate() }
        }
        let size = try #require(try located().archive?.size)
        try refuses { $1.offset = -1 }
        try refuses { $1.offset = size }
        try refuses { $1.offset = .max }
        try refuses { $1.offset = size - 4 }
        try refuses { $1.size = 4 }
        try refuses { $1.size = .max }
        try refuses { $1.size = -5 }
        try refuses { $1.offset = 40 }
        try refuses { $1.offset = 36 }
        try refuses { _, slice in slice = ArchiveSlice(offset: slice.offset, size: 0, method: .deflate) }
        try refuses(.tooLarge) { file, slice in
            slice.method = .deflate
            file.size = 2 << 20
        }
        var manifest = try located()
        manifest.archive?.size = -1
        expectRefusal(.badManifest) { try manifest.validate() }
        // These sizes exceed every file, or overflow the arithmetic of offsets.
        for size: Int64 in [.max, .max - 40_000, (1 << 30) + 1] {
            manifest = try located()
            manifest.archive?.size = size
            expectRefusal(.tooLarge) { try manifest.validate() }
        }
        manifest = try located()
        expectRefusal(.tooLarge) { try manifest.validate(limits: ManifestLimits(maxArchiveBytes: size - 1)) }
        try manifest.validate(limits: ManifestLimits(maxArchiveBytes: size))
        // The ratio is a limit that can be raised.
        manifest = try located()
        manifest.files[1].slice?.method = .deflate
        manifest.files[1].size = 2 << 20
        try manifest.validate(limits: ManifestLimits(maxRatio: 1_000_000))
    }

    @Test("The verifier compares archive and slices")
    func verifier() throws {
        let manifest = try located()
        #expect(try PackageVerifier().verify(archive, against: manifest).files == 3)
        func refuses(_ code: PackageError.Code, _ change: (inout PackageManifest) -> Void) {
            var manifest = manifest
            change(&manifest)
            expectRefusal(code) { try PackageVerifier().verify(archive, against: manifest) }
        }
        refuses(.mismatch) { $0.archive?.size += 1 }
        refuses(.digestMismatch) { $0.archive?.sha256 = SHA256Digest(of: Data()) }
        refuses(.mismatch) { $0.files[0].slice?.offset -= 1 }
        refuses(.mismatch) { manifest in
            let first = manifest.files[0].slice
            manifest.files[0].slice = manifest.files[1].slice
            manifest.files[1].slice = first
        }
        refuses(.mismatch) { $0.files.removeLast() }
        // The other archive has equal files, but the slices are not valid for it.
        let other = try folder.write("b.zip", ZipMaker("b.js", "a.html", "empty").bytes())
        expectRefusal(.digestMismatch) { try PackageVerifier().verify(other, against: manifest) }
        #expect(try PackageVerifier().verify(other, against: manifest.withoutSlices()).files == 3)
    }
}
