// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import PackagePublisher
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite("Package builder", .timeLimit(.minutes(2)))
struct PackageBuilderTests {
    private let folder: TemporaryFolder
    private let files: [String: Data]

    init() throws {
        folder = try TemporaryFolder()
        var files = [
            "index.html": Data("<!doctype html><title>Shop</title>".utf8),
            "empty.txt": Data(),
            "js/app.js": Data(String(repeating: "console.log('hello');\n", count: 30_000).utf8),
            "img/photo.jpg": Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }),
            "Kätilöt/日本語 ファイル.html": Data("<p>こんにちは</p>".utf8),
            ".well-known/assetlinks.json": Data("[]".utf8),
        ]
        // The sizes are one chunk, and one byte less and more.
        for size in [262_143, 262_144, 262_145] {
            files["data/\(size).bin"] = Data(repeating: UInt8(size & 0xFF), count: size)
        }
        self.files = files
        for (name, data) in files { try folder.write("site/\(name)", data) }
    }

    @discardableResult
    private func build(
        to output: String = "out", builder: PackageBuilder = PackageBuilder()
    ) throws -> PackageBuilder.Result {
        try builder.build(
            "\(folder.path)/site", id: PackageID("shop"), version: PackageVersion("1.0+2"),
            baseURL: PackageBaseURL("https://shop.example/"), output: "\(folder.path)/\(output)")
    }

    private func refuses(
        _ code: PackageError.Code, to output: String = "out", builder: PackageBuilder = PackageBuilder(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try folder.names()
        let error = #expect(throws: PackageError.self, sourceLocation: sourceLocation) {
            try build(to: output, builder: builder)
        }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(try folder.names() == before, sourceLocation: sourceLocation)
    }

    @Test("Archive and manifest contain the site and agree")
    func package() throws {
        let result = try build()
        #expect(try folder.names(below: "out") == ["shop-1.0+2.json", "shop-1.0+2.zip"])
        #expect(result.archive == "\(folder.path)/out/shop-1.0+2.zip")
        #expect(result.files == files.count && result.bytes == files.values.reduce(0) { $0 + Int64($1.count) })
        let archive = try Data(contentsOf: URL(fileURLWithPath: result.archive))
        #expect(result.archiveSHA256 == SHA256Digest(of: archive) && result.archiveBytes == Int64(archive.count))
        let manifest = try PackageManifest(path: result.manifest)
        #expect(manifest.files.map(\.path.description) == files.keys.sorted())
        for file in manifest.files {
            let data = try #require(files[file.path.description])
            #expect(file.size == Int64(data.count) && file.sha256 == SHA256Digest(of: data))
        }
        #expect(try PackageVerifier().verify(result.archive, against: manifest).files == files.count)
        #expect(manifest.archive?.size == result.archiveBytes && manifest.archive?.sha256 == result.archiveSHA256)
        for file in manifest.files where file.slice?.method == .stored {
            let slice = try #require(file.slice)
            #expect(archive[Int(slice.offset)..<Int(slice.end)] == files[file.path.description])
        }
        // Files are stored if deflate has no effect.
        let methods = try ZipValidator().validate(result.archive).entries.map { ($0.path.description, $0.method) }
        let stored = methods.filter { $0.1 == .stored }.map(\.0)
        #expect(stored == ["empty.txt", "img/photo.jpg"])
        #expect(methods.map(\.0) == files.keys.sorted())
    }

    /// A text file and its type in the manifest.
    struct TextFile: Sendable {
        let name: String
        let data: Data
        let type: String

        init(_ name: String, _ text: String, _ bytes: [UInt8] = [], is type: String) {
            self.name = name
            data = Data(text.utf8) + bytes
            self.type = type
        }
    }

    private static let chinese: [UInt8] = [0xBA, 0xBA, 0xD7, 0xD6]
    private static let textFiles: [TextFile] = [
        TextFile("utf-8-mark.js", "\u{FEFF}let a", is: "text/javascript;charset=utf-8"),
        TextFile("utf-16-mark.txt", "", [0xFF, 0xFE, 0x61, 0x00], is: "text/plain;charset=utf-16le"),
        TextFile("utf-16-mark.html", "", [0xFE, 0xFF, 0x00, 0x61], is: "text/html;charset=utf-16be"),
        TextFile("gbk.html", "<meta charset=gbk>", chinese, is: "text/html;charset=gbk"),
        TextFile("gbk.js", "//", chinese, is: "text/javascript"),
        TextFile("windows-1252.txt", "caf", [0xE9], is: "text/plain"),
        TextFile("latin.html", "<meta charset=iso-8859-1>caf", [0xE9], is: "text/html;charset=windows-1252"),
        TextFile("shift_jis.css", "@charset \"shift_jis\";", [0x8A, 0xBF], is: "text/css;charset=shift_jis"),
        TextFile("big5.xml", "<?xml encoding='big5'?>", [0xBA, 0x7E], is: "application/xml;charset=big5"),
        TextFile("utf-8.js", "a = 'é'", is: "text/javascript;charset=utf-8"),
        TextFile("ascii.js", "a = 1", is: "text/javascript"),
        TextFile("empty.html", "", is: "text/html"),
        // A character across the end of the prescan, a character across the end of a piece, and a truncated character.
        TextFile("long.html", blanks(1_023), [0xC3, 0xA9], is: "text/html;charset=utf-8"),
        TextFile("longer.txt", blanks(262_143), [0xC3, 0xA9], is: "text/plain;charset=utf-8"),
        TextFile("cut.html", blanks(1_023), [0xC3], is: "text/html"),
        TextFile("picture.png", "é", is: "image/png"),
    ]

    private static func blanks(_ count: Int) -> String {
        String(repeating: " ", count: count)
    }

    @Test("A text file has the charset that its bytes prove, otherwise none")
    func charset() throws {
        let site = try TemporaryFolder()
        for file in Self.textFiles { try site.write("site/\(file.name)", file.data) }
        let result = try PackageBuilder().build(
            "\(site.path)/site", id: PackageID("shop"), version: PackageVersion("1"),
            baseURL: PackageBaseURL("https://shop.example/"), output: "\(site.path)/out")
        let packed = try PackageManifest(path: result.manifest).files
        #expect(packed.count == Self.textFiles.count)
        for file in Self.textFiles {
            let type = packed.first { $0.path.description == file.name }?.mediaType
            #expect(type == file.type, "\(file.name)")
        }
    }

    @Test("A known charset applies only to text that declares none")
    func knownCharset() throws {
        let site = try TemporaryFolder()
        for (name, text) in [
            ("a.html", "<meta charset=big5>"), ("b.js", "a = 1"), ("c.js", "a = 'é'"), ("d.png", "x"), ("e.txt", ""),
        ] {
            try site.write("site/\(name)", Data(text.utf8))
        }
        let encoding = try #require(CharacterEncoding(label: "gb2312"))
        let result = try PackageBuilder(charset: encoding).build(
            "\(site.path)/site", id: PackageID("shop"), version: PackageVersion("1"),
            baseURL: PackageBaseURL("https://shop.example/"), output: "\(site.path)/out")
        let types = try PackageManifest(path: result.manifest).files.map(\.mediaType)
        #expect(
            types == [
                "text/html;charset=big5", "text/javascript;charset=gbk", "text/javascript;charset=gbk", "image/png",
                "text/plain;charset=gbk",
            ])
    }

    @Test("The minimum version of the host is in the manifest and must be numeric")
    func leastHost() throws {
        func build(_ version: String) throws -> PackageBuilder.Result {
            try PackageBuilder().build(
                "\(folder.path)/site", id: PackageID("shop"), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://shop.example/"), minHost: PackageVersion(version),
                output: "\(folder.path)/out")
        }
        let error = #expect(throws: PackageError.self) { try build("2.x") }
        #expect(error?.code == .badManifest)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out"))
        #expect(try PackageManifest(path: build("2.10").manifest).minHost?.description == "2.10")
    }

    @Test("Two builds give equal bytes for all times and modes of the files")
    func reproducible() throws {
        let first = try build(to: "1")
        for (index, name) in files.keys.sorted().enumerated() {
            try FileManager.default.setAttributes(
                [
                    .modificationDate: Date(timeIntervalSince1970: Double(index) * 1e8),
                    .posixPermissions: 0o600 + index,
                ],
                ofItemAtPath: "\(folder.path)/site/\(name)")
        }
        let second = try build(to: "2")
        for (left, right) in [(first.archive, second.archive), (first.manifest, second.manifest)] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: left))
            #expect(try bytes == Data(contentsOf: URL(fileURLWithPath: right)))
        }
        #expect(first.archiveSHA256 == second.archiveSHA256)
    }

    @Test("Progress ends at all files and all bytes and never decreases")
    func progress() throws {
        var steps: [PackageBuilder.Progress] = []
        let result = try PackageBuilder().build(
            "\(folder.path)/site", id: PackageID("shop"), version: PackageVersion("1"),
            baseURL: PackageBaseURL("https://shop.example/"), output: "\(folder.path)/out"
        ) { steps.append($0) }
        #expect(steps.allSatisfy { $0.totalFiles == result.files && $0.totalBytes == result.bytes })
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.files <= $1.files })
        #expect(steps.last?.files == result.files && steps.last?.bytes == result.bytes)
    }

    @Test("A second build replaces the first")
    func replaces() throws {
        let first = try build()
        try folder.write("site/more.txt", "more".utf8)
        let second = try build()
        #expect(second.files == first.files + 1 && second.archive == first.archive)
        let manifest = try PackageManifest(path: second.manifest)
        #expect(try PackageVerifier().verify(second.archive, against: manifest).files == second.files)
        #expect(try folder.names(below: "out").count == 2)
    }

    @Test("Other readers see the same files", arguments: Tool.allCases)
    func otherReaders(_ tool: Tool) throws {
        guard tool.isThere else {
            print("skipped: \(tool.rawValue) is not installed")
            return
        }
        let archive = try build().archive
        try FileManager.default.createDirectory(atPath: "\(folder.path)/tree", withIntermediateDirectories: true)
        let line =
            switch tool {
            case .bsdtar: "bsdtar -xf '\(archive)'"
            case .unzip: "unzip -tq '\(archive)' && unzip -q '\(archive)'"
            case .python3:
                "python3 -c \"import zipfile; z = zipfile.ZipFile('\(archive)'); assert z.testzip() is None; z.extractall()\""
            }
        try #require(try tool.run(line, in: "\(folder.path)/tree").status == 0)
        for (name, data) in files {
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/tree/\(name)")) == data, "\(name)")
        }
    }

    @Test("Hidden files are skipped and listed")
    func hidden() throws {
        for name in [".DS_Store", ".git/config", "js/._app.js", "Thumbs.db", ".env", "__MACOSX/x", "js/desktop.ini"] {
            try folder.write("site/\(name)", "secret".utf8)
        }
        let result = try build()
        #expect(result.files == files.count)
        #expect(
            result.skipped.map(\.path)
                == [".DS_Store", ".env", ".git", "Thumbs.db", "__MACOSX", "js/._app.js", "js/desktop.ini"])
        #expect(result.skipped.allSatisfy { $0.reason == .hidden })
    }

    @Test("A name is hidden also if a combining character follows its dot")
    func hiddenByBytes() throws {
        try folder.write("site/.\u{301}env", "secret".utf8)
        try folder.write("site/.\u{301}git/config", "secret".utf8)
        let result = try build()
        #expect(result.files == files.count)
        #expect(result.skipped.map { Array($0.path.utf8) } == [".\u{301}env", ".\u{301}git"].map { Array($0.utf8) })
    }

    @Test("Source maps and compressed copies beside their files are skipped, others are not")
    func derivedFiles() throws {
        for name in [
            "js/app.js.map", "js/app.js.br", "js/app.js.gz", "js/app.js.zst", "js/app.js.map.gz",
            // No file, or only a folder, has the name without the suffix.
            "world.map", "js.map", "data/table.json.gz", "img/photo.map",
        ] {
            try folder.write("site/\(name)", "x".utf8)
        }
        let result = try build()
        #expect(
            result.skipped.map(\.path) == [
                "js/app.js.br", "js/app.js.gz", "js/app.js.map", "js/app.js.map.gz", "js/app.js.zst",
            ])
        #expect(
            result.skipped.map(\.reason) == [
                .compressedCopy, .compressedCopy, .sourceMap, .compressedCopy, .compressedCopy,
            ])
        #expect(result.files == files.count + 4)
    }

    @Test("Exclusions are skipped with their folders, and those that match nothing cause a warning")
    func exclusions() throws {
        try folder.write("site/js/deep/test.spec.js", "x".utf8)
        try folder.write("site/.git/config", "x".utf8)
        let exclusions = try ["*.spec.js", "/data/", "img/*.png", ".git"].map { try SiteGlob($0) }
        let result = try build(builder: PackageBuilder(exclusions: exclusions))
        #expect(result.skipped.map(\.path) == [".git", "data", "js/deep/test.spec.js"])
        #expect(result.skipped.map(\.reason) == [.hidden, .excluded, .excluded])
        #expect(result.files == files.count - 3)
        #expect(result.warnings.map(\.path) == ["img/*.png"])
        try refuses(.noInput, to: "out2", builder: PackageBuilder(exclusions: [SiteGlob("**")]))
    }

    @Test("Names that Windows cannot store cause a warning")
    func portableNames() throws {
        for name in [
            "aux.js", "dir/com1", "dir/LPT9.tar.gz", "COM\u{B9}.txt", "nul .txt", "conin$", "end.", "end /a",
            "file:stream",
            "a<b", "what?.html", "quote\".js",
            // Valid names.
            "auxiliary.js", "com10.js", "console.js", "a.b c.js", "nul-.txt", "xcon",
        ] {
            try folder.write("site/\(name)", "x".utf8)
        }
        let result = try build()
        #expect(
            Set(result.warnings.map(\.path)) == [
                "aux.js", "dir/com1", "dir/LPT9.tar.gz", "COM\u{B9}.txt", "nul .txt", "conin$", "end.", "end /a",
                "file:stream", "a<b", "what?.html", "quote\".js",
            ])
        #expect(result.files == files.count + 18)
    }

    @Test("A name keeps its bytes, composed or decomposed", arguments: ["u\u{308}.txt", "\u{FC}.txt"])
    func nameBytes(name: String) throws {
        try folder.write("site/\(name)", "a".utf8)
        let result = try build()
        let manifest = try PackageManifest(path: result.manifest)
        #expect(manifest.files.contains { Array($0.path.description.utf8) == Array(name.utf8) })
        #expect(try PackageVerifier().verify(result.archive, against: manifest).files == files.count + 1)
    }

    @Test("The file _headers in the root becomes rules of the manifest and is not packed")
    func headersFile() throws {
        try folder.write("site/_headers", "/*\n  X-Frame-Options: DENY\n  Server: x\n".utf8)
        try folder.write("site/docs/_headers", "/*\n  X-Frame-Options: DENY\n".utf8)
        let result = try build()
        let manifest = try PackageManifest(path: result.manifest)
        #expect(try manifest.fieldRules == [ResponseFieldRule(path: "/*", fields: ["X-Frame-Options": "DENY"])])
        #expect(!manifest.files.map(\.path.description).contains("_headers"))
        #expect(manifest.files.map(\.path.description).contains("docs/_headers"))
        #expect(result.warnings.count == 1 && result.warnings[0].problem.hasPrefix("line 3: "))
        #expect(result.skipped.isEmpty)
        try folder.write("site/_headers", "/*\n  Link: x\n/app/*\n  Link: x\n/js/app.js # a\n  Link: x\n".utf8)
        #expect(
            try build().warnings.map(\.problem) == [
                "the path /app/* matches no file", "the path /js/app.js # a matches no file",
            ])
        try folder.write("site/_headers", "/*\n  X-Frame-Options\n".utf8)
        try refuses(.badManifest)
        try folder.write("site/_headers", [UInt8](repeating: 10, count: 70_000))
        try refuses(.tooLarge)
        try folder.write("site/_headers", [0xFF])
        try refuses(.badManifest)
    }

    @Test("An output folder inside the site is found by bytes")
    func outputByBytes() throws {
        try refuses(.occupied, to: "site/\u{301}out")
    }

    @Test("Links are rejected, including links inside the site and links to folders")
    func links() throws {
        for target in ["index.html", "js", "/etc/passwd", "nowhere"] {
            let link = "\(folder.path)/site/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try refuses(.specialFile)
            try FileManager.default.removeItem(atPath: link)
        }
        try #require(mkfifo("\(folder.path)/site/pipe", 0o600) == 0)
        try refuses(.specialFile)
    }

    @Test("Names that collide or cannot be packed are rejected")
    func names() throws {
        try folder.write("site/INDEX.html", "other".utf8)
        // A file system that treats both names as equal cannot contain this site.
        if try folder.names(below: "site").contains("INDEX.html") { try refuses(.duplicateEntry) }
        try FileManager.default.removeItem(atPath: "\(folder.path)/site/INDEX.html")
        try folder.write("site/a\\b", "x".utf8)
        try refuses(.unsafePath)
    }

    @Test("A site that is missing, empty or a file is rejected")
    func noSite() throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/site")
        try refuses(.noInput)
        try folder.write("site/.DS_Store", "x".utf8)
        try refuses(.noInput)
        try FileManager.default.removeItem(atPath: "\(folder.path)/site")
        try folder.write("site", "x".utf8)
        try refuses(.noInput)
    }

    @Test(
        "Output inside the site, or over an item that is not a file, is rejected",
        arguments: ["site", "site/js", "site/a/b"])
    func badOutput(_ output: String) throws {
        try refuses(.occupied, to: output)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/out/shop-1.0+2.json", withIntermediateDirectories: true)
        try refuses(.occupied)
        try refuses(.io, to: "site/index.html/out")
        try folder.write("file", "x".utf8)
        try refuses(.io, to: "file")
    }

    @Test("The limits of the reader apply to the builder")
    func limits() throws {
        try refuses(.tooLarge, builder: PackageBuilder(limits: ArchiveLimits(maxTotalBytes: 1_000_000)))
        try refuses(.tooMany, builder: PackageBuilder(limits: ArchiveLimits(maxEntries: 3)))
        try folder.write("site/zeros.txt", [UInt8](repeating: 32, count: 3 << 20))
        try refuses(.tooLarge)
    }

    @Test("A build that fails after the last file leaves no files")
    func lateFailure() async throws {
        let before = try folder.names()
        let (site, output) = ("\(folder.path)/site", "\(folder.path)/new/out")
        let task = Task {
            _ = try PackageBuilder().build(
                site, id: PackageID("shop"), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://shop.example/"), output: output
            ) { progress in
                // The archive is written, but neither validated nor renamed.
                if progress.files == progress.totalFiles { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.names() == before)
    }
}
