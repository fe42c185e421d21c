// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import ProgramTesting
import Testing

/// `h5 pack`, `unpack` and `verify` end to end, with valid and invalid input.
@Suite("h5 pack, unpack, verify", .timeLimit(.minutes(2)))
struct PackageCommandTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html>".utf8)
        try folder.write("site/js/app.js", "go()".utf8)
    }

    private func pack() async throws {
        let outcome = try await Program("h5").run(
            "pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example", in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// Expects one error line with `code`, the exit status, no result, and an unchanged folder.
    private func fails(
        _ status: Int32, _ code: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await fails(status, code, arguments: arguments, sourceLocation: sourceLocation)
    }

    private func fails(
        _ status: Int32, _ code: String, arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try folder.names()
        let outcome = try await Program("h5").run(arguments, in: folder.path)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
        let line = lines.first ?? ""
        #expect(line.hasPrefix("error: \(code): ") && line.hasSuffix(")"), "\(line)", sourceLocation: sourceLocation)
        #expect(try folder.names() == before, sourceLocation: sourceLocation)
    }

    @Test("A site is packed, verified and unpacked")
    func roundTrip() async throws {
        let packed = try await Program("h5").run(
            "pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/app/", "--out", "a/b",
            in: folder.path)
        #expect(packed.status == 0 && packed.errors.isEmpty)
        #expect(packed.output.split(separator: "\n").prefix(2) == ["a/b/shop-1.zip", "a/b/shop-1.json"])
        let verified = try await Program("h5").run("verify", "a/b/shop-1.zip", "a/b/shop-1.json", in: folder.path)
        #expect(verified.status == 0 && verified.output.hasPrefix("2 files, 19 bytes, 2 digests\n"))
        #expect(verified.output.contains("every path, size and SHA-256 with the manifest of shop 1"))
        let alone = try await Program("h5").run("verify", "a/b/shop-1.zip", in: folder.path)
        #expect(alone.status == 0 && alone.output.hasPrefix("2 files, 19 bytes, 0 digests\n"))
        #expect(alone.output.contains("not compared: any SHA-256, since no manifest was given"))
        let unpacked = try await Program("h5").run("unpack", "a/b/shop-1.zip", "--into", "tree", in: folder.path)
        #expect(unpacked.status == 0 && unpacked.output == "2 files, 19 bytes\n")
        #expect(try folder.names(below: "tree") == ["index.html", "js", "js/app.js"])
        #if os(Linux)
            // For a folder that cannot be created, `/proc` reports a missing folder. The result is still an I/O error.
            let refused = try await Program("h5").run("unpack", "a/b/shop-1.zip", "--into", "/proc/x", in: folder.path)
            #expect(refused.status == 74 && refused.errors.hasSuffix("(/proc/x)\n"), "\(refused.errors)")
        #endif
    }

    /// A concurrent process replaces the temporary folder with a symbolic link as soon as the folder exists.
    @Test("Nothing is unpacked through a symbolic link that another process creates concurrently")
    func exchangedFolder() async throws {
        for number in 0..<400 { try folder.write("site/\(number).txt", "\(number)".utf8) }
        try await pack()
        try folder.write("outside/mine", [])
        let (shared, outside) = (folder.path + "/shared", folder.path + "/outside")
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
        try #require(chmod(shared, 0o777) == 0)
        let exchange = Task.detached {
            while !Task.isCancelled {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: shared)) ?? [] {
                    guard name.hasSuffix(".partial") else { continue }
                    guard rename("\(shared)/\(name)", "\(shared)/moved") == 0 else { continue }
                    symlink(outside, "\(shared)/\(name)")
                    return true
                }
                await Task.yield()
            }
            return false
        }
        let outcome = try await Program("h5").run("unpack", "shop-1.zip", "--into", "shared/out", in: folder.path)
        exchange.cancel()
        if await exchange.value {
            #expect(outcome.status == 74 && outcome.errors.hasPrefix("error: io: "), "\(outcome.errors)")
        } else {
            #expect(outcome.status == 0)
        }
        #expect(try folder.names(below: "outside") == ["mine"])
    }

    @Test("A manifest may have a sequence number")
    func sequence() async throws {
        let arguments = ["pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/"]
        let packed = try await Program("h5").run(arguments + ["--sequence", "42", "--json"], in: folder.path)
        #expect(packed.status == 0 && packed.output.contains(#""sequence":42"#), "\(packed.output)\(packed.errors)")
        #expect(try PackageManifest(path: folder.path + "/shop-1.json").sequence == 42)
        for number in ["0", "-1", "1.5", "9007199254740992", ""] {
            try await fails(64, "usage", arguments: arguments + ["--sequence=\(number)"])
        }
    }

    #if os(Linux)
        /// The memory limit is 160 MB. With manifests that were read in several passes, 31 MB of junk took 570 to 830
        /// MB.
        @Test(
            "Junk instead of a manifest needs little memory",
            arguments: [
                (#"{"junk":["#, "[],", "1]}"), (#"{"files":["#, "{},", "{}]}"), (#"{"id":""#, "\\u00e4", #""}"#),
                (#"{"junk":""#, "😀", #""}"#),
            ])
        func junk(_ start: String, _ piece: String, _ end: String) async throws {
            let count = (31 << 20) / piece.utf8.count
            try Data((start + String(repeating: piece, count: count) + end).utf8).write(
                to: URL(fileURLWithPath: folder.path + "/junk.json"))
            let packed = try await Program("h5").run(
                "pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/", in: folder.path
            )
            try #require(packed.status == 0)
            let h5 = try Program("h5").path
            let outcome = try await Program(at: "/bin/sh").run(
                "-c", "ulimit -d 163840; exec \(h5) verify shop-1.zip junk.json", in: folder.path)
            #expect(outcome.status == 65 && outcome.errors.hasPrefix("error: bad-manifest: "), "\(outcome.errors)")
        }
    #endif

    @Test("A package may require a minimum version of the app")
    func leastHost() async throws {
        let arguments = ["pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/"]
        let packed = try await Program("h5").run(arguments + ["--min-host", "2.10", "--json"], in: folder.path)
        #expect(packed.status == 0 && packed.output.contains(#""minHost":"2.10""#), "\(packed.output)\(packed.errors)")
        #expect(try PackageManifest(path: folder.path + "/shop-1.json").minHost?.description == "2.10")
        let any = try await Program("h5").run(arguments + ["--json"], in: folder.path)
        #expect(any.status == 0 && !any.output.contains("minHost"))
        for version in ["2.x", ""] {
            try await fails(64, "usage", arguments: arguments + ["--min-host", version])
        }
    }

    @Test("Charsets come from the files, or from --charset if they declare none; an unknown charset is refused")
    func charset() async throws {
        try folder.write("site/js/gbk.js", [0xBA, 0xBA, 0xD7, 0xD6])
        try folder.write("site/page.html", Array("<meta charset=gbk>".utf8) + [0xBA, 0xBA, 0xD7, 0xD6])
        let arguments = ["pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/"]
        func types(_ options: String...) async throws -> [String] {
            let packed = try await Program("h5").run(arguments + options, in: folder.path)
            #expect(packed.status == 0, "\(packed.errors)")
            return try PackageManifest(path: folder.path + "/shop-1.json").files.map(\.mediaType)
        }
        #expect(try await types() == ["text/html", "text/javascript", "text/javascript", "text/html;charset=gbk"])
        #expect(
            try await types("--charset", "EUC-JP") == [
                "text/html;charset=euc-jp", "text/javascript;charset=euc-jp", "text/javascript;charset=euc-jp",
                "text/html;charset=gbk",
            ])
        for name in ["utf-7", "", "gbk;x", "replacement"] {
            try await fails(64, "usage", arguments: arguments + ["--charset", name])
        }
    }

    @Test("Skipped files and warnings are listed on standard error; their number is limited")
    func skippedFiles() async throws {
        try folder.write("site/js/app.js.map", "{}".utf8)
        try folder.write("site/index.html.br", "x".utf8)
        try folder.write("site/.env", "secret".utf8)
        try folder.write("site/aux.txt", "x".utf8)
        try folder.write("site/_headers", "/*\n  Cross-Origin-Opener-Policy: same-origin\n  Set-Cookie: a=b\n".utf8)
        for number in 0..<30 { try folder.write("site/drafts/\(number).txt", "x".utf8) }
        let arguments = ["pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/"]
        let packed = try await Program("h5").run(arguments + ["--exclude", "drafts/*.txt"], in: folder.path)
        #expect(packed.status == 0, "\(packed.errors)")
        let lines = packed.errors.split(separator: "\n")
        #expect(lines.contains("note: skipped 1 hidden file: .env"))
        #expect(lines.contains("note: skipped 1 source map: js/app.js.map"))
        #expect(lines.contains("note: skipped 1 compressed copy: index.html.br"))
        let excluded = try #require(lines.first { $0.hasPrefix("note: skipped 30 excluded files and folders: ") })
        #expect(excluded.hasSuffix(", …") && excluded.split(separator: ",").count == 21)
        #expect(lines.contains("warning: the name of a device on Windows (aux.txt)"))
        #expect(lines.contains { $0.hasPrefix("warning: line 3: ") && $0.hasSuffix(" (_headers)") })
        let manifest = try PackageManifest(path: folder.path + "/shop-1.json")
        #expect(manifest.files.map(\.path.description) == ["aux.txt", "index.html", "js/app.js"])
        #expect(manifest.fieldRules.map(\.fields) == [["Cross-Origin-Opener-Policy": "same-origin"]])
        let verified = try await Program("h5").run("verify", "shop-1.zip", "shop-1.json", in: folder.path)
        #expect(verified.status == 0, "\(verified.errors)")
        for pattern in ["", "a\\b", "***"] {
            try await fails(64, "usage", arguments: arguments + ["--exclude=\(pattern)"])
        }
        try folder.write("site/_headers", "  Link: x\n".utf8)
        try await fails(65, "bad-manifest", arguments: arguments)
    }

    @Test("--names states the encoding of names that are neither ASCII nor marked as UTF-8")
    func encodedNames() async throws {
        try await pack()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/shop-1.zip")))
        // The name js/app.js becomes one of the same length in GBK, in both headers.
        let (plain, name): ([UInt8], [UInt8]) = (Array("js/app.js".utf8), [0xBA, 0xBA, 0x2F] + Array("app.js".utf8))
        while let range = bytes.firstRange(of: plain) { bytes.replaceSubrange(range, with: name) }
        try folder.write("gbk.zip", bytes)
        try await fails(65, "unsafe-path", "verify", "gbk.zip")
        try await fails(65, "unsafe-path", "unpack", "gbk.zip", "--into", "tree")
        let verified = try await Program("h5").run("verify", "gbk.zip", "--names", "GB2312", in: folder.path)
        #expect(verified.status == 0, "\(verified.errors)")
        let unpacked = try await Program("h5").run(
            "unpack", "gbk.zip", "--into", "tree", "--names", "gbk", in: folder.path)
        #expect(unpacked.status == 0, "\(unpacked.errors)")
        #expect(try folder.names(below: "tree") == ["index.html", "汉", "汉/app.js"])
        try await fails(64, "usage", "unpack", "gbk.zip", "--into", "tree2", "--names", "utf-7")
        let refused = try await Program("h5").run("verify", "gbk.zip", "--names", "utf-7", in: folder.path)
        #expect(refused.errors.contains("cp437, cp850") && refused.errors.contains("shift_jis"))
    }

    @Test("With --json, each result is one object with the documented fields")
    func json() async throws {
        func object(_ arguments: String...) async throws -> [String: Any] {
            let outcome = try await Program("h5").run(arguments + ["--json"], in: folder.path)
            #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 1, "\(outcome.errors)")
            return try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        }
        let packed = try await object(
            "pack", "site", "--id", "shop", "--version", "1", "--base-url", "https://shop.example/")
        #expect(
            packed.keys.sorted() == [
                "archive", "archiveBytes", "baseURL", "bytes", "complete", "files", "id", "manifest", "sha256",
                "skipped", "skippedCount", "version", "warningCount", "warnings",
            ])
        #expect(packed["archive"] as? String == "./shop-1.zip" && packed["files"] as? Int == 2)
        #expect(packed["complete"] as? Bool == false)
        let complete = try await object(
            "pack", "site", "--complete", "--id", "shop", "--version", "2", "--base-url", "https://shop.example/")
        #expect(complete["complete"] as? Bool == true)
        let verified = try await object("verify", "shop-1.zip")
        #expect(
            verified.keys.sorted() == [
                "archive", "bytes", "digests", "files", "id", "manifest", "signed", "version",
            ])
        #expect(verified["manifest"] is NSNull && verified["digests"] as? Int == 0)
        let unpacked = try await object("unpack", "shop-1.zip", "--into", "tree")
        #expect(unpacked.keys.sorted() == ["bytes", "directory", "files"])
    }

    @Test("Help and version are written to standard output")
    func help() async throws {
        for arguments in [
            ["--help"], ["pack", "--help"], ["unpack", "-h"], ["verify", "--help"], ["help", "serve"],
        ] {
            let outcome = try await Program("h5").run(arguments, in: folder.path)
            #expect(outcome.status == 0 && outcome.output.contains("USAGE: h5") && outcome.errors.isEmpty)
        }
        let version = try await Program("h5").run("--version", in: folder.path)
        #expect(version.status == 0 && version.output.contains(/^\d+\.\d+\.\d+\n$/))
        #expect(try await Program("h5").run("verify", "--version", in: folder.path).output == version.output)
        // `pack` has only one --version option: the version of the package.
        let pack = try await Program("h5").run("pack", "--help", in: folder.path)
        #expect(pack.output.matches(of: /(?m)^ +--version/).count == 1, "\(pack.output)")
    }

    @Test(
        "An invalid command line gives the exit status 64",
        arguments: [
            ["frob"], ["pack"], ["pack", "site"], ["unpack", "a.zip"], ["verify"], ["verify", "a", "b", "c"],
            ["--frob"],
            ["pack", "site", "--id", "../x", "--version", "1", "--base-url", "https://h/"],
            ["pack", "site", "--id", "x", "--version", "1 2", "--base-url", "https://h/"],
            ["pack", "site", "--id", "x", "--version", "1", "--base-url", "ftp://h/"],
            ["unpack", "a.zip", "--into", "b", "--max-bytes", "many"],
            ["unpack", "a.zip", "--into", "b", "--max-bytes", "-1"],
            ["unpack", "a.zip", "--into", "b", "--max-ratio", "0"],
        ])
    func usage(_ arguments: [String]) async throws {
        try await fails(64, "usage", arguments: arguments)
    }

    @Test("An invalid command line names the help command", arguments: [["pack"], ["store", "stat"], []])
    func whoseHelp(_ command: [String]) async throws {
        let outcome = try await Program("h5").run(command + ["--frob"], in: folder.path)
        #expect(outcome.status == 64)
        let names = (["h5"] + command).joined(separator: " ")
        #expect(outcome.errors.hasSuffix("(see \(names) --help)\n"), "\(outcome.errors)")
    }

    @Test("A file that is not a zip is refused")
    func notAZip() async throws {
        try folder.write("a.zip", "<!doctype html>".utf8)
        try await fails(65, "not-an-archive", "verify", "a.zip")
        try await fails(65, "not-an-archive", "unpack", "a.zip", "--into", "tree")
        try await fails(65, "not-an-archive", "unpack", "a.zip", "--into", "x/y/tree")
        try folder.write("empty.zip", [])
        try await fails(65, "not-an-archive", "unpack", "empty.zip", "--into", "tree")
    }

    @Test("A damaged and a truncated zip are refused")
    func damaged() async throws {
        try await pack()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/shop-1.zip"))
        try folder.write("cut.zip", bytes.dropLast(10))
        try await fails(65, "truncated", "unpack", "cut.zip", "--into", "tree")
        let offset = try #require(try ZipValidator().validate(bytes).entries.last.map { ArchiveSlice($0).offset })
        bytes[Int(offset) + 1] ^= 0x55
        try folder.write("flipped.zip", bytes)
        try await fails(65, "damaged", "unpack", "flipped.zip", "--into", "tree")
        try await fails(65, "damaged", "verify", "flipped.zip")
    }

    @Test("A manifest that does not match its zip is refused")
    func mismatch() async throws {
        try await pack()
        let manifest = try PackageManifest(path: "\(folder.path)/shop-1.json")
        var missing = manifest
        missing.files.removeLast()
        try folder.write("missing.json", missing.encoded())
        try await fails(65, "mismatch", "verify", "shop-1.zip", "missing.json")
        var extra = manifest
        extra.archive = nil
        for index in extra.files.indices { extra.files[index].slice = nil }
        var file = try #require(extra.files.first)
        file.path = try ArchivePath("extra.html")
        extra.files.append(file)
        try folder.write("extra.json", extra.encoded())
        try await fails(65, "mismatch", "verify", "shop-1.zip", "extra.json")
        var size = manifest
        size.files[0].size += 1
        try folder.write("size.json", size.encoded())
        try await fails(65, "mismatch", "verify", "shop-1.zip", "size.json")
        var place = manifest
        place.files[0].slice?.offset -= 1
        try folder.write("place.json", place.encoded())
        try await fails(65, "mismatch", "verify", "shop-1.zip", "place.json")
        var archive = manifest
        archive.archive?.sha256 = SHA256Digest(of: Data())
        try folder.write("archive.json", archive.encoded())
        try await fails(65, "digest-mismatch", "verify", "shop-1.zip", "archive.json")
        try folder.write("bad.json", "{".utf8)
        try await fails(65, "bad-manifest", "verify", "shop-1.zip", "bad.json")
        try await fails(65, "bad-manifest", "verify", "shop-1.zip", "shop-1.zip")
    }

    @Test("An archive and the manifest of another build do not verify, even if the files are equal")
    func tornPair() async throws {
        try await pack()
        try FileManager.default.copyItem(atPath: "\(folder.path)/shop-1.json", toPath: "\(folder.path)/old.json")
        try folder.write("site/js/app.js", "stop()".utf8)
        try await pack()
        // If `pack` is killed between its two renames, the new archive is next to the old manifest.
        try await fails(65, "mismatch", "verify", "shop-1.zip", "old.json")
        try folder.write("site/js/app.js", "go(1)!".utf8)
        try await pack()
        try await fails(65, "mismatch", "verify", "shop-1.zip", "old.json")
        let outcome = try await Program("h5").run("verify", "shop-1.zip", "shop-1.json", in: folder.path)
        #expect(outcome.status == 0)
    }

    @Test("A wrong digest is refused")
    func wrongHash() async throws {
        try await pack()
        var manifest = try PackageManifest(path: "\(folder.path)/shop-1.json")
        manifest.files[1].sha256 = SHA256Digest(of: Data())
        try folder.write("shop-1.json", manifest.encoded())
        try await fails(65, "digest-mismatch", "verify", "shop-1.zip", "shop-1.json")
    }

    @Test("Missing input gives the exit status 66")
    func missing() async throws {
        try await pack()
        try await fails(66, "no-input", "verify", "nowhere.zip")
        try await fails(66, "no-input", "verify", "shop-1.zip", "nowhere.json")
        try await fails(66, "no-input", "unpack", "nowhere.zip", "--into", "tree")
        try await fails(66, "no-input", "pack", "nowhere", "--id", "x", "--version", "1", "--base-url", "https://h/")
    }

    @Test("A target that is not empty or is a file is refused")
    func occupied() async throws {
        try await pack()
        try await fails(65, "occupied", "unpack", "shop-1.zip", "--into", "site")
        try await fails(65, "occupied", "unpack", "shop-1.zip", "--into", "shop-1.json")
        try await fails(
            65, "occupied", "pack", "site", "--id", "x", "--version", "1", "--base-url", "https://h/", "--out",
            "site/out")
    }

    @Test("The limit options apply")
    func limits() async throws {
        try await pack()
        try await fails(65, "too-large", "unpack", "shop-1.zip", "--into", "tree", "--max-bytes", "18")
        try await fails(65, "too-many", "unpack", "shop-1.zip", "--into", "tree", "--max-entries", "1")
        try folder.write("site/blanks.txt", [UInt8](repeating: 32, count: 10_000))
        try await pack()
        try await fails(65, "too-large", "unpack", "shop-1.zip", "--into", "tree", "--max-ratio", "10")
        let outcome = try await Program("h5").run(
            "unpack", "shop-1.zip", "--into", "tree", "--max-bytes", "10019", "--max-entries", "3", "--max-ratio",
            "1000",
            in: folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("An error line with a hostile file name is still one line")
    func hostileName() async throws {
        try await fails(66, "no-input", "verify", "a\nerror: fake: line (x)\u{1B}[2J")
    }

    @Test("A read-only folder is an I/O error", .enabled(if: geteuid() != 0, "skipped: root can write to any folder"))
    func readOnly() async throws {
        try await pack()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/closed", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        try await fails(74, "io", "unpack", "shop-1.zip", "--into", "closed/tree")
    }

    @Test("A target below a file is an I/O error")
    func belowFile() async throws {
        try await pack()
        try await fails(74, "io", "unpack", "shop-1.zip", "--into", "site/index.html/tree")
    }
}
