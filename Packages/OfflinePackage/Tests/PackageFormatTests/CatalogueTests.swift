// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackageFormat
import Testing

/// Tests of the catalogue document.
@Suite("Catalogue", .timeLimit(.minutes(1)))
struct CatalogueTests {
    private func document(
        _ packages: String, sequence: String = "7", format: String = "1"
    ) -> Data {
        Data(#"{"format":\#(format),"sequence":\#(sequence),"packages":\#(packages)}"#.utf8)
    }

    private func entry(
        _ id: String = "shop", manifest: String = "https://cdn.example/shop.json",
        scope: String = "https://shop.example/", more: String = ""
    ) -> String {
        #"{"id":"\#(id)","manifest":"\#(manifest)","scope":"\#(scope)"\#(more)}"#
    }

    /// Returns the error of a document that must be refused.
    private func refusal(of json: Data, sourceLocation: SourceLocation = #_sourceLocation) -> PackageError? {
        do {
            _ = try PackageCatalogue(decoding: json)
            Issue.record("was accepted", sourceLocation: sourceLocation)
        } catch let error as PackageError {
            #expect(!"\(error)".contains("\n"), sourceLocation: sourceLocation)
            return error
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
        return nil
    }

    @Test("A document is decoded, and encoded to a document of the same catalogue")
    func roundTrip() throws {
        let json = document(
            "[\(entry(more: #","version":"1.4.0","added":[1]"#)),\(entry("help", manifest: "https://cdn.example/h.json"))]"
        )
        let catalogue = try PackageCatalogue(decoding: json)
        #expect(catalogue.sequence == 7 && catalogue.packages.map(\.package.description) == ["shop", "help"])
        let shop = catalogue.packages[0]
        #expect(shop.manifestURL == "https://cdn.example/shop.json" && shop.version?.description == "1.4.0")
        #expect(shop.scope.description == "https://shop.example/" && catalogue.packages[1].version == nil)
        #expect(try PackageCatalogue(decoding: catalogue.encoded()) == catalogue)
    }

    @Test("A catalogue may list no package, but a document without a list is refused")
    func missingList() throws {
        #expect(try PackageCatalogue(decoding: document("[]")).packages == [])
        #expect(refusal(of: Data(#"{"format":1,"sequence":7}"#.utf8))?.code == .badCatalogue)
        for list in ["null", "{}", "7"] { #expect(refusal(of: document(list))?.code == .badCatalogue, "\(list)") }
    }

    @Test(
        "An invalid member is refused with its place",
        arguments: [
            ("id", #""../shop""#), ("id", "7"), ("manifest", #""shop.json""#),
            ("manifest", #""ftp://cdn.example/s.json""#),
            ("scope", #""https://shop.example/a""#), ("scope", #""https://u@shop.example/""#), ("version", #""a b""#),
        ])
    func members(name: String, value: String) {
        var members = [
            "id": #""help""#, "manifest": #""https://cdn.example/h.json""#, "scope": #""https://a.example/""#,
        ]
        members[name] = value
        let second = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        let error = refusal(of: document("[\(entry()),{\(second)}]"))
        #expect(
            error?.code == .badCatalogue && error?.location == "packages[1].\(name)", "\(String(describing: error))")
    }

    @Test("A package or a manifest that is listed twice is refused")
    func duplicates() {
        let same = refusal(of: document("[\(entry()),\(entry(manifest: "https://cdn.example/other.json"))]"))
        #expect(same?.code == .badCatalogue && same?.location == "packages[1].id")
        let manifest = refusal(of: document("[\(entry()),\(entry("help"))]"))
        #expect(manifest?.code == .badCatalogue && manifest?.location == "packages[1].manifest")
    }

    @Test("A duplicate name, another format, a number out of range and malformed JSON are refused")
    func wholes() {
        #expect(refusal(of: document("[]", format: "2"))?.location == "format")
        for number in ["-1", "9007199254740992", "1.5", #""7""#] {
            #expect(refusal(of: document("[]", sequence: number))?.code == .badCatalogue, "\(number)")
        }
        #expect(refusal(of: document("[]", sequence: #"7,"sequence":8"#))?.code == .badCatalogue)
        let malformed = refusal(of: Data(#"{"format":1,"sequence":7,"packages":[],}"#.utf8))
        #expect(malformed?.code == .badCatalogue && malformed?.message.contains("byte 39") == true)
        #expect(refusal(of: Data([0xEF, 0xBB, 0xBF]) + document("[]"))?.code == .badCatalogue)
        #expect(refusal(of: Data())?.code == .badCatalogue)
    }

    @Test("The limits of size and count hold exactly")
    func limits() throws {
        func list(_ count: Int) -> Data {
            let entries = (0..<count).map { entry("p\($0)", manifest: "https://cdn.example/\($0).json") }
            return document("[\(entries.joined(separator: ","))]")
        }
        #expect(try PackageCatalogue(decoding: list(1_000)).packages.count == 1_000)
        #expect(refusal(of: list(1_001))?.code == .tooMany)
        let whole = document("[]")
        let padding = Data(repeating: UInt8(ascii: " "), count: PackageCatalogue.maxBytes - whole.count)
        #expect(try PackageCatalogue(decoding: whole + padding).sequence == 7)
        #expect(refusal(of: whole + padding + Data(" ".utf8))?.code == .tooLarge)
        let path = String(repeating: "a", count: 2_048 - "https://a.example/".utf8.count)
        #expect(throws: Never.self) {
            try PackageCatalogue(decoding: document("[\(entry(manifest: "https://a.example/\(path)"))]"))
        }
        #expect(refusal(of: document("[\(entry(manifest: "https://a.example/\(path)a"))]"))?.code == .badCatalogue)
    }

    @Test("A catalogue whose document would be too large cannot be created")
    func encodedSize() throws {
        func catalogue(_ pathBytes: Int) throws -> PackageCatalogue {
            let path = String(repeating: "a", count: pathBytes)
            return try PackageCatalogue(
                sequence: 1,
                packages: (0..<1_000).map {
                    try .init(
                        package: PackageID("p\($0)"), manifestURL: "https://a.example/\(path)\($0)",
                        scope: PackageBaseURL("https://a.example/"))
                })
        }
        #expect(try PackageCatalogue(decoding: catalogue(900).encoded()).packages.count == 1_000)
        let error = #expect(throws: PackageError.self) { try catalogue(1_000) }
        #expect(error?.code == .tooLarge)
    }

    @Test("A source requests the URL that it is given, within the limit of a document")
    func source() async throws {
        let source = CatalogueDocument("https://a.example/c.json", mirrorURL: "https://b.example/c.json")
        let json = document("[\(entry())]")
        let catalogue = try await source.catalogue(at: "https://b.example/c.json") { url, limit in
            #expect(url == "https://b.example/c.json" && limit == 1 << 20)
            return json
        }
        #expect(try catalogue == PackageCatalogue(decoding: json))
    }
}
