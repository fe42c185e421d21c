// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import HTTPTypes
import ResourceLoading
import ResourceTable
import TableSuggestions
import Testing

/// Resource tables suggested from loaded files.
@Suite("Suggested resource tables", .timeLimit(.minutes(1)))
struct ResourceSuggestionTests {
    private static let url = "https://h.example/js/app.js"

    private func seen(
        _ url: String = url, type: String = "text/javascript; charset=utf-8", bytes: String = "1;",
        _ change: (inout ObservedFile) throws -> Void = { _ in }
    ) throws -> ObservedFile {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = type
        var file = ObservedFile(
            try #require(HTTPRequest(urlText: url)), response: response, bytes: Data(bytes.utf8))
        try change(&file)
        return file
    }

    private func table(_ suggestion: ResourceSuggestion) throws -> URLTable {
        guard case .table(let table) = try TableAnswer(decoding: suggestion.json(version: "v1")) else {
            throw TableError(.badTable, "no table")
        }
        return table
    }

    /// Returns the reason to omit the single file, or `nil` if it is included.
    private func reason(_ file: ObservedFile) throws -> String? {
        let suggestion = ResourceSuggestion(runs: [[file]])
        #expect(suggestion.count + suggestion.leftOut.count == 1)
        #expect(suggestion.names(file.request) == suggestion.leftOut.isEmpty)
        return suggestion.leftOut.first?.reason
    }

    @Test("Files whose URLs differ only in percent-encoding share one entry")
    func spellings() throws {
        let run = try [seen("https://h.example/%7Ea.js"), seen("https://h.example/~a.js")]
        let suggestion = ResourceSuggestion(runs: [run])
        #expect(suggestion.count == 1 && run.allSatisfy { suggestion.names($0.request) })
        #expect(try table(suggestion).count == 1)
    }

    @Test("The table contains the observed files with their digests in the documented format")
    func format() throws {
        let run = try [seen(), seen("https://h.example/a%20b/?v=2", type: "image/png", bytes: "")]
        let suggestion = ResourceSuggestion(runs: [run, run])
        #expect(suggestion.leftOut.isEmpty)
        let table = try table(suggestion)
        #expect(table.version == "v1" && table.count == 2)
        let entry = try #require(table.entry(answering: Self.url + "#x"))
        #expect(entry.md5 == MD5Digest(of: Data("1;".utf8)) && entry.download.description == Self.url)
        #expect(entry.contentType == "text/javascript; charset=utf-8")
        #expect(
            String(decoding: try suggestion.json(version: "v1"), as: UTF8.self) == #"""
                { "code": 200,
                  "data": { "version": "v1", "update": true,
                    "resourcemap": {
                      "https://h.example/a%20b/?v=2": {"ctype":"image/png","download":"https://h.example/a%20b/?v=2","md5":"d41d8cd98f00b204e9800998ecf8427e","path":"a b/index.html","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0,"version":"1"},
                      "https://h.example/js/app.js": {"ctype":"text/javascript; charset=utf-8","download":"https://h.example/js/app.js","md5":"4603e61bef0710b4258365ba29a3a659","path":"js/app.js","sha256":"0889a34434e586e918436027c4e8b4c3380f84643731bdeb57024adb8745cf53","size":2,"version":"1"}
                    } } }

                """#)
    }

    @Test(
        "Files are resources of pages",
        arguments: [
            ("text/css", true), ("font/woff2", true), ("application/wasm", true), ("application/manifest+json", true),
            ("text/html;charset=utf-8", true), ("IMAGE/PNG ; x=y", true), ("application/json", false),
            ("text/plain", false), ("application/octet-stream", false), ("", false),
        ])
    func types(_ type: String, _ isFile: Bool) throws {
        let suggestion = ResourceSuggestion(runs: [[try seen(type: type)]])
        #expect(suggestion.count == (isFile ? 1 : 0) && suggestion.leftOut.isEmpty)
    }

    @Test("JSON is a file if it is fresh for an hour; documents requested by scripts are not files")
    func data() throws {
        func count(_ cacheControl: String, url: String = Self.url) throws -> Int {
            let file = try seen(url, type: "application/json") {
                $0.response?.headerFields[.cacheControl] = cacheControl
            }
            return ResourceSuggestion(runs: [[file]]).count
        }
        #expect(try count("public, max-age=3600") == 1 && count("immutable") == 1)
        #expect(try count("max-age=60") == 0 && count("max-age=3600, no-cache") == 0)
        #expect(try count("immutable", url: Self.url + "?id=1") == 0)
        let fragment = try seen(type: "text/html") {
            $0.request.headerFields[try #require(HTTPField.Name("Sec-Fetch-Dest"))] = "empty"
        }
        #expect(ResourceSuggestion(runs: [[fragment]]).count == 0)
        let posted = try seen { $0.request.method = .post }
        #expect(ResourceSuggestion(runs: [[posted]]).count == 0)
    }

    @Test("Responses that differ between users are omitted")
    func faults() throws {
        func given(_ name: HTTPField.Name, _ value: String) throws -> String? {
            try reason(try seen { $0.response?.headerFields[name] = value })
        }
        #expect(try given(.cacheControl, "max-age=9, Private") == "its response is private")
        #expect(try given(.cacheControl, "no-store") == "its response is no-store")
        #expect(try given(.cacheControl, "no-cache") == nil)
        #expect(try given(.setCookie, "a=b") == "its response sets cookies")
        #expect(try given(.vary, "Accept, Cookie") == "its response depends on the request (Vary: cookie)")
        #expect(try given(.vary, "Accept-Encoding, Origin") == nil)
        #expect(try reason(try seen { $0.response?.status = .notFound }) == "it received the status 404")
        #expect(try reason(try seen { $0.request.headerFields[.range] = "bytes=0-" }) == "it requests a range")
        #expect(try reason(try seen { $0.request.headerFields[.authorization] = "x" }) == "it carries Authorization")
        #expect(try reason(try seen { $0.bytes = nil }) == "its body was not completely recorded")
        let page = try seen("https://h.example/p.html?id=1", type: "text/html")
        #expect(try reason(page) == "the content of a document may depend on its query")
        for (query, name) in [
            ("v=1&X-Amz-Signature=2", "X-Amz-Signature"), ("auth_key=1", "auth_key"), ("uid=42", "uid"),
            ("v=eyJhbGciOiJIUzI1NiJ9.x.y", "v"), ("v=a@b.example", "v"),
        ] {
            #expect(try reason(try seen("\(Self.url)?\(query)")) == "\(name) may be a secret")
        }
        #expect(try reason(try seen("https://u:p@h.example/a.js")) == "its URL cannot be part of a table")
    }

    @Test("Files that differ between runs or occur in one run only are omitted")
    func runs() throws {
        let suggestion = ResourceSuggestion(runs: [
            [try seen(), try seen("https://h.example/once.js?t=1"), try seen("https://h.example/new.js", bytes: "1")],
            [try seen(), try seen("https://h.example/once.js?t=2"), try seen("https://h.example/new.js", bytes: "2")],
        ])
        #expect(try table(suggestion).entries.map(\.url.description) == [Self.url])
        #expect(
            suggestion.leftOut.map { "\($0.url) \($0.reason)" } == [
                "https://h.example/new.js its bytes differ from run to run",
                "https://h.example/once.js it does not occur in every run",
            ])
    }

    @Test("An empty suggestion is also a table; a version that is too long is an error")
    func edges() throws {
        #expect(try table(ResourceSuggestion(runs: [])).count == 0)
        #expect(throws: TableError.self) {
            try ResourceSuggestion(runs: []).json(version: String(repeating: "1", count: 257))
        }
    }
}
