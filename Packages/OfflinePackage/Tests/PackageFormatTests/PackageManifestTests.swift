// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Packaging) import PackageFormat
import Testing

@Suite("Package manifest", .timeLimit(.minutes(1)))
struct PackageManifestTests {
    private static let digest = String(repeating: "ab", count: 32)

    /// Returns a manifest with some members replaced.
    private func json(
        format: String = "1", id: String = "\"shop\"", version: String = "\"1.2.0+b\"",
        baseURL: String = "\"https://shop.example/app/\"", files: String? = nil, path: String = "\"index.html\"",
        size: String = "5", digest: String = "\"\(digest)\"", type: String = "\"text/html;charset=utf-8\""
    ) -> Data {
        let file = #"{"path":\#(path),"size":\#(size),"sha256":\#(digest),"type":\#(type)}"#
        return Data(
            #"{"format":\#(format),"id":\#(id),"version":\#(version),"baseURL":\#(baseURL),"files":\#(files ?? "[\(file)]")}"#
                .utf8)
    }

    @Test("Decoding and encoding preserve every byte")
    func roundTrip() throws {
        let manifest = try PackageManifest(decoding: json())
        #expect(manifest.id.description == "shop" && manifest.version.description == "1.2.0+b")
        let data = try manifest.encoded()
        #expect(try PackageManifest(decoding: data) == manifest)
        #expect(try PackageManifest(decoding: data).encoded() == data)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"baseURL":"https://shop.example/app/","files":[{"path":"index.html","#
                + #""sha256":"\#(Self.digest)","size":5,"type":"text/html;charset=utf-8"}],"format":1,"id":"shop","#
                + #""version":"1.2.0+b"}"# + "\n")
    }

    @Test("The member for completeness is present only if it is true")
    func completeness() throws {
        var manifest = try PackageManifest(decoding: json())
        #expect(!manifest.isComplete)
        manifest.isComplete = true
        let data = try manifest.encoded()
        #expect(
            String(decoding: data, as: UTF8.self).hasPrefix(#"{"baseURL":"https://shop.example/app/","complete":true,"#)
        )
        #expect(try PackageManifest(decoding: data) == manifest)
        let wrong = String(decoding: data, as: UTF8.self).replacing("true", with: "1")
        #expect(throws: PackageError.self) { try PackageManifest(decoding: Data(wrong.utf8)) }
    }

    @Test("Files are sorted, in any order of input")
    func order() throws {
        func file(_ name: String) -> String {
            #"{"path":"\#(name)","size":0,"sha256":"\#(Self.digest)","type":"a/b","unknown":[1]}"#
        }
        let manifest = try PackageManifest(
            decoding: json(files: "[\(file("b")),\(file("é")),\(file("a/z")),\(file("a"+"!"))]"))
        #expect(manifest.files.map(\.path.description) == ["a!", "a/z", "b", "é"])
    }

    @Test("Invalid manifests are rejected")
    func refusals() throws {
        let bad: [Data] = [
            Data(), Data("[]".utf8), Data("{}".utf8), Data("null".utf8),
            Data(repeating: UInt8(ascii: "["), count: 100_000),
            Data([0xFF, 0xFE]), json(format: "2"), json(format: "\"1\""), json(format: "0"), json(id: "\"\""),
            json(id: "\".hidden\""), json(id: "\"a/b\""), json(id: "\"a+b\""), json(id: "\"ä\""),
            json(id: "\"\(String(repeating: "a", count: 129))\""), json(version: "\"1 0\""),
            json(version: "\"\(String(repeating: "1", count: 65))\""), json(files: "{}"), json(files: "[1]"),
            json(path: "\"../x\""), json(path: "\"\""), json(path: "\"/x\""), json(path: "\"a\\\\b\""),
            json(size: "-1"),
            json(size: "1.5"), json(size: "9223372036854775808"), json(digest: "\"abc\""),
            json(digest: "\"\(String(repeating: "g", count: 64))\""), json(type: "\"\""), json(type: "\"html\""),
            json(type: "\"text/\""), json(type: "\"text/html\\r\\nSet-Cookie: a=b\""),
        ]
        for data in bad {
            expectRefusal(.badManifest, comment: "\(String(decoding: data.prefix(300), as: UTF8.self))") {
                try PackageManifest(decoding: data)
            }
        }
    }

    @Test("Paths keep their spelling, and are compared and ordered by bytes")
    func spelling() throws {
        let paths = try ["e\u{301}", "f", "\u{E9}"].map { try ArchivePath($0) }
        #expect(paths.map { Array($0.description.utf8) } == [[0x65, 0xCC, 0x81], [0x66], [0xC3, 0xA9]])
        #expect(paths[0] != paths[2] && Set(paths).count == 3)
        #expect(paths.reversed().sorted() == paths)
    }

    @Test(
        "Colliding paths are rejected", arguments: [["a", "a"], ["a", "A"], ["a", "a/b"], ["\u{E9}", "e\u{301}"]])
    func collisions(_ names: [String]) {
        let files = names.map { #"{"path":"\#($0)","size":0,"sha256":"\#(Self.digest)","type":"a/b"}"# }
        expectRefusal(.badManifest) {
            try PackageManifest(decoding: json(files: "[\(files.joined(separator: ","))]"))
        }
    }

    @Test(
        "The minimum version of the host consists of numbers separated by dots",
        arguments: [
            ("2", true), ("2.10.0", true), ("0", true), ("2.x", false), ("2..1", false), ("2.", false),
            ("2-beta", false),
            ("1234567890", false),
        ])
    func leastHost(_ version: String, _ isTaken: Bool) throws {
        var manifest = try PackageManifest(decoding: json())
        manifest.minHost = try PackageVersion(version)
        if isTaken {
            #expect(try PackageManifest(decoding: manifest.encoded()) == manifest)
        } else {
            expectRefusal(.badManifest) { try manifest.encoded() }
            let data = try JSONEncoder().encode(manifest)
            expectRefusal(.badManifest) { try PackageManifest(decoding: data) }
        }
    }

    private var plain: String { String(decoding: json(), as: UTF8.self) }

    private func file(_ extra: String) -> String {
        #"{"path":"a","size":0,"sha256":"\#(Self.digest)","type":"a/b"\#(extra)}"#
    }

    @Test("Duplicate names are rejected, also of unknown members")
    func repeatedNames() throws {
        let bad = [
            plain.replacing("{", with: #"{"id":"other","#, maxReplacements: 1),
            plain.replacing("{", with: #"{"\u0069d":"other","#, maxReplacements: 1),
            plain.replacing("{", with: #"{"x":1,"x":1,"#, maxReplacements: 1),
            plain.replacing("{", with: #"{"x":{"y":[{"z":1,"z":2}]},"#, maxReplacements: 1),
            String(decoding: json(files: "[\(file(#","size":1"#))]"), as: UTF8.self),
            String(decoding: json(files: "[\(file(#","more":0,"more":0"#))]"), as: UTF8.self),
        ]
        for text in bad {
            expectRefusal(.badManifest, comment: "\(text)") { try PackageManifest(decoding: Data(text.utf8)) }
        }
        let known = plain.replacing("{", with: #"{"x":{"id":1,"y":{"id":[]}},"#, maxReplacements: 1)
        #expect(try PackageManifest(decoding: Data(known.utf8)) == PackageManifest(decoding: json()))
    }

    @Test("Only UTF-8 is accepted")
    func encodings() throws {
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            let data = try #require(plain.data(using: encoding))
            expectRefusal(.badManifest, comment: "\(encoding)") { try PackageManifest(decoding: data) }
        }
        var latin = json()
        latin.replaceSubrange(
            try #require(latin.range(of: Data("{".utf8))), with: Data("{\"x\":\"".utf8) + [0xE4] + Data("\",".utf8))
        expectRefusal(.badManifest) { try PackageManifest(decoding: latin) }
    }

    @Test("A manifest of a later format is reported as such, wherever the member `format` stands")
    func laterFormat() {
        let later = #"{"files":{"a":1},"format":2}"#
        let error = #expect(throws: PackageError.self) { try PackageManifest(decoding: Data(later.utf8)) }
        #expect(error?.message == "manifest of format 2, known is 1")
    }

    @Test(
        "A sequence number is an integer from 1 to 2^53 - 1",
        arguments: [
            ("1", true), ("9007199254740991", true), ("0", false), ("-1", false), ("9007199254740992", false),
            ("1.0", false), ("1e3", false), (#""1""#, false), ("99999999999999999999", false),
        ])
    func sequence(_ number: String, _ isTaken: Bool) throws {
        let text = plain.replacing("{", with: #"{"sequence":\#(number),"#, maxReplacements: 1)
        guard isTaken else {
            return expectRefusal(.badManifest) { try PackageManifest(decoding: Data(text.utf8)) }
        }
        let manifest = try PackageManifest(decoding: Data(text.utf8))
        #expect(manifest.sequence == Int64(number))
        #expect(try PackageManifest(decoding: manifest.encoded()) == manifest)
        #expect(try PackageManifest(decoding: json()).sequence == nil)
    }

    @Test("Each limit is enforced")
    func limits() {
        expectRefusal(.tooLarge) { try PackageManifest(decoding: json(), limits: ManifestLimits(maxBytes: 20)) }
        expectRefusal(.tooMany) { try PackageManifest(decoding: json(), limits: ManifestLimits(maxFiles: 0)) }
        expectRefusal(.tooLarge) { try PackageManifest(decoding: json(), limits: ManifestLimits(maxTotalBytes: 4)) }
        expectRefusal(.tooLarge) { try PackageManifest(decoding: json(size: "\(Int64.max)")) }
    }

    @Test(
        "Base URLs are normalized",
        arguments: [
            ("https://Shop.Example", "https://shop.example/"),
            ("HTTPS://shop.example:443/a/", "https://shop.example/a/"),
            ("http://shop.example:80/", "http://shop.example/"),
            ("http://shop.example:443/", "http://shop.example:443/"),
            ("https://127.0.0.1:8443/x/y/", "https://127.0.0.1:8443/x/y/"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
            ("https://h/%c3%a4/", "https://h/%C3%A4/"),
        ])
    func baseURL(_ text: String, _ normal: String) throws {
        let url = try PackageBaseURL(text)
        #expect(url.description == normal)
        #expect("\(url.scheme)://\(url.authority)\(url.path)" == normal)
        #expect(try PackageBaseURL(normal) == url)
    }

    @Test(
        "Other URLs are rejected",
        arguments: [
            "", "shop.example/", "ftp://h/", "file:///a/", "https:///", "https://h/a", "https://h/?q", "https://h/#f",
            "https://user@h/", "https://user:pw@h/", "https://h:0/", "https://h:65536/", "https://h:/", "https://h:8a/",
            "https://h/../", "https://h/./a/", "https://h/%2e%2E/", "https://h/%2f/", "https://h/%/", "https://h/a b/",
            "https://ä.example/", "https://h\\evil/", "https://h/\\/", "https://.h/", "https://h../", "https://[::1/",
            "https://h/\n/", "javascript:alert(1)//",
        ])
    func badBaseURL(_ text: String) {
        expectRefusal(.badManifest) { try PackageBaseURL(text) }
    }
}
