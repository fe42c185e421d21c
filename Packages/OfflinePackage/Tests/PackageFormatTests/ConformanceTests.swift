// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

/// Tests with the zips of the shared conformance data. The data is not part of the repository; without it the suite
/// is skipped.
@Suite(
    "Zip conformance", .timeLimit(.minutes(2)),
    .enabled(if: ConformanceData.isThere, "skipped: ../shared/conformance/zip is not there"))
struct ConformanceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func archives(in folder: String, count: Int) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(ConformanceData.root)/\(folder)")
            .filter { $0.hasSuffix(".zip") }.sorted()
        // The count ensures that the test reads its data.
        try #require(names.count == count)
        return names
    }

    @Test("Every invalid archive is rejected, and no files remain")
    func rejected() throws {
        for name in try Self.archives(in: "rejected", count: 24) {
            let archive = "\(ConformanceData.root)/rejected/\(name)"
            expectRefusal(comment: "\(name)") { try PackageVerifier().verify(archive) }
            expectRefusal(comment: "\(name)") {
                try Unpacker(isDurable: false).unpack(archive, into: "\(folder.path)/out")
            }
            #expect(try folder.names().isEmpty, "\(name)")
        }
    }

    @Test("Every invalid archive is rejected for its own defect")
    func reasons() throws {
        let codes: [(start: String, code: PackageError.Code)] = [
            (
                "End of central directory record signature not found Either not a zip file or file is truncated.zip",
                .truncated
            ),
            (
                "End of central directory record signature not found Either not a zip file or file is truncated_1",
                .notAnArchive
            ),
            ("Invalid comment length", .damaged),
            ("absolute path C xt", .unsafePath),
            ("absolute path atxt", .unsafePath),
            ("compressed uncompressed size mismatch for stored file", .headerMismatch),
            ("extra field length exceeds", .damaged),
            ("file data overflows file bounds", .tooLarge),
            ("invalid central directory file header signature", .damaged),
            ("invalid characters in fileName", .unsafePath),
            ("invalid code lengths set", .damaged),
            ("invalid local file header signature", .damaged),
            ("invalid relative path", .unsafePath),
            ("invalid zip64 end of central directory record signature", .notAnArchive),
            ("multi-disk", .unsupported),
            ("not enough bytes in the stream", .tooLarge),
            ("strong encryption", .encrypted),
            ("too many bytes in the stream", .headerMismatch),
            ("too many length or distance symbols", .damaged),
            ("unexpected EOF", .damaged),
            ("unsupported compression method", .unsupported),
            ("zip64 extended information extra field does not include compressed size", .damaged),
            ("zip64 extended information extra field does not include relative header offset", .damaged),
            ("zip64 extended information extra field does not include uncompressed size", .damaged),
        ]
        for name in try Self.archives(in: "rejected", count: 24) {
            let expected = try #require(codes.first { name.hasPrefix($0.start) }?.code, "\(name)")
            expectRefusal(expected, comment: "\(name)") {
                try PackageVerifier().verify("\(ConformanceData.root)/rejected/\(name)")
            }
        }
    }

    @Test("Every valid archive unpacks to the files that other readers see")
    func accepted() throws {
        let json = try Data(contentsOf: URL(fileURLWithPath: "\(ConformanceData.root)/accepted/expected.json"))
        let expected = try JSONDecoder().decode([String: [String: String]].self, from: json)
        for name in try Self.archives(in: "accepted", count: 15) {
            let files = try #require(expected[name], "\(name)")
            let target = "out-\(name)"
            let summary = try Unpacker(isDurable: false).unpack(
                "\(ConformanceData.root)/accepted/\(name)", into: "\(folder.path)/\(target)")
            #expect(summary.files == files.count, "\(name)")
            let found = try folder.names(below: target).filter { path in
                var isFolder: ObjCBool = false
                let full = "\(folder.path)/\(target)/\(path)"
                return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) && !isFolder.boolValue
            }
            // The names are compared by bytes, because equal strings may differ in Unicode form.
            #expect(Set(found.map { Array($0.utf8) }) == Set(files.keys.map { Array($0.utf8) }), "\(name)")
            for (path, digest) in files {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(target)/\(path)"))
                #expect(SHA256Digest(of: data).hex == digest, "\(name): \(path)")
            }
        }
    }

    @Test("Encrypted archives are rejected with their own code")
    func encrypted() throws {
        for name in try Self.archives(in: "encrypted", count: 4) {
            expectRefusal(.encrypted, comment: "\(name)") {
                try Unpacker(isDurable: false).unpack(
                    "\(ConformanceData.root)/encrypted/\(name)", into: "\(folder.path)/out")
            }
        }
        #expect(try folder.names().isEmpty)
    }

    @Test("Ambiguous archives are rejected, each for its reason")
    func arguable() throws {
        func archive(_ name: String) -> String { "\(ConformanceData.root)/arguable/\(name)" }
        // A compression method that does not exist cannot be unpacked.
        expectRefusal(.unsupported) { try PackageVerifier().verify(archive("bogus-compression-method.zip")) }
        // The name has a backslash, which some readers treat as a separator and others as a character.
        expectRefusal(.unsafePath) { try PackageVerifier().verify(archive("sloppy-filenames.zip")) }
        // Unicode Path fields determine the name and would be used. But the local header includes two bytes of the
        // data descriptor in its extra fields, so the start of the data is ambiguous.
        expectRefusal(.damaged) { try PackageVerifier().verify(archive("unicode-path-extra-field.zip")) }
    }
}
