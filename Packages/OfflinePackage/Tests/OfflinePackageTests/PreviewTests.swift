// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

@Suite("Previews", .timeLimit(.minutes(1)))
struct PreviewTests {
    private let directory: TemporaryFolder
    private let previews = PreviewList()
    private let network = Network()

    init() throws {
        directory = try TemporaryFolder()
        for (path, text) in ["site/index.html": "home", "site/in/a b.js": "code", "secret.txt": "secret"] {
            let file = URL(filePath: "\(directory.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    /// A network loader whose responses contain the requested URL.
    private final class Network: ResourceLoader {
        let requests = Mutex<[HTTPRequest]>([])

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            requests.withLock { $0.append(request.head) }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: .bytes(Data(request.head.urlText.utf8)), provenance: Provenance(.network, reason: "test"))
        }
    }

    private var folder: Preview {
        get throws { Preview(.folder(directory.path + "/site"), over: try PackageBaseURL("https://shop.example/app/")) }
    }

    private func answer(_ url: String, _ method: HTTPRequest.Method = .get) async throws -> ResourceResponse? {
        try await PreviewLoader(previews, network: network).load(ResourceRequest(request(url, method)))
    }

    private func text(_ url: String) async throws -> String? {
        guard let response = try await answer(url) else { return nil }
        return String(decoding: try await response.body.collect(upTo: 1_000), as: UTF8.self)
    }

    @Test func folderServesBaseURL() async throws {
        previews.mount(try folder)
        let response = try #require(try await answer("https://shop.example/app/?q"))
        #expect(
            response.head.headerFields == [.contentType: "text/html", .cacheControl: "no-store"])
        #expect(response.provenance.source == .package && response.provenance.reason.hasPrefix("preview of /"))
        #expect(try await text("https://shop.example/app/in/a%20b.js#x") == "code")
        #expect(try await answer("https://shop.example/app/", .head)?.body.length == 4)
        // Requests for missing files are passed to the next loader.
        #expect(try await text("https://shop.example/app/none.js") == nil)
        #expect(try await text("https://shop.example/index.html") == nil)
        #expect(try await answer("https://shop.example/app/", .post) == nil)
        #expect(network.requests.withLock { $0.isEmpty })
    }

    @Test func charsetsAreDetectedInFiles() async throws {
        previews.mount(try folder)
        let site = directory.path + "/site"
        try Data("<meta charset=gbk>\u{e9}".utf16.map { UInt8(truncatingIfNeeded: $0) })
            .write(to: URL(filePath: site + "/index.html"))
        try Data("'é'".utf8).write(to: URL(filePath: site + "/in/a b.js"))
        let page = try #require(try await answer("https://shop.example/app/"))
        #expect(page.head.headerFields[.contentType] == "text/html;charset=gbk")
        let script = try #require(try await answer("https://shop.example/app/in/a%20b.js"))
        #expect(script.head.headerFields[.contentType] == "text/javascript;charset=utf-8")
    }

    @Test("A preview of a folder has the fields of its file _headers, which is read again and is not served")
    func fieldsOfHeadersFile() async throws {
        previews.mount(try folder)
        let site = directory.path + "/site"
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: site + "/_headers")) }
        try write(
            """
            /*
              Cross-Origin-Opener-Policy: same-origin
              Set-Cookie: a=b
            /
              Content-Security-Policy: default-src 'self'
              Cache-Control: no-cache
            /in/*
              Cross-Origin-Embedder-Policy: require-corp
            """)
        let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        let embedder = try #require(HTTPField.Name("Cross-Origin-Embedder-Policy"))
        let policy = try #require(HTTPField.Name("Content-Security-Policy"))
        let page = try #require(try await answer("https://shop.example/app/?q"))
        #expect(
            page.head.headerFields == [
                .contentType: "text/html", .cacheControl: "no-store", policy: "default-src 'self'",
                opener: "same-origin",
            ])
        let script = try #require(try await answer("https://shop.example/app/in/a%20b.js", .head))
        #expect(
            script.head.headerFields == [
                .contentType: "text/javascript", .cacheControl: "no-store", embedder: "require-corp",
                opener: "same-origin",
            ])
        for path in ["_headers", "%5Fheaders", "./_headers", "in/../_headers", "/_headers"] {
            #expect(try await answer("https://shop.example/app/" + path) == nil, "\(path)")
        }
        try write("/*\n  \(opener): unsafe-none\n")
        #expect(try await answer("https://shop.example/app/")?.head.headerFields[opener] == "unsafe-none")
        // `h5 pack` refuses the same file. A site without its policies would not be the site that is packed.
        try write("/*\n  \(opener)\n")
        let error = await #expect(throws: ResourceError.self) { try await answer("https://shop.example/app/") }
        #expect(error?.code == .io && error?.message.hasPrefix("line 2: ") == true)
        #expect(error?.location == site + "/_headers" && error.map { "\($0)".contains("\n") } == false)
        #expect((error?.cause as? PackageError)?.code == .badManifest)
        // A missing file is left to the next loader.
        #expect(try await answer("https://shop.example/app/none") == nil)
    }

    @Test(
        "A file is served under the path for which its rules in _headers apply, and under no other spelling of it",
        arguments: [
            "in//page.html", "/in/page.html", "in/./page.html", "./in/page.html", "in/%2E/page.html",
            "in/../in/page.html", "in%2Fpage.html", "in//", "in/./", "/",
        ])
    func otherSpellings(path: String) async throws {
        previews.mount(try folder)
        try directory.write("site/in/page.html", "page".utf8)
        try directory.write("site/in/index.html", "in".utf8)
        try directory.write("site/_headers", "/in/page.html\n  X-Frame-Options: DENY\n".utf8)
        let page = try #require(try await answer("https://shop.example/app/in/p%61ge.html"))
        #expect(page.head.headerFields[.init("X-Frame-Options")!] == "DENY")
        #expect(try await text("https://shop.example/app/in/") == "in")
        #expect(try await answer("https://shop.example/app/" + path) == nil)
    }

    @Test func filesAreReadAgain() async throws {
        previews.mount(try folder)
        #expect(try await text("https://shop.example/app/") == "home")
        try Data("changed".utf8).write(to: URL(filePath: directory.path + "/site/index.html"))
        #expect(try await text("https://shop.example/app/") == "changed")
    }

    @Test(arguments: [
        "..%2Fsecret.txt", "../secret.txt", "in/../../secret.txt", "%2e%2e/secret.txt", "link", "in", "pipe",
    ])
    func filesOutsideFolderAreNotServed(path: String) async throws {
        previews.mount(try folder)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/site/link", withDestinationPath: "../secret.txt")
        #expect(mkfifo(directory.path + "/site/pipe", 0o600) == 0)
        #expect(try await text("https://shop.example/app/" + path) == nil)
    }

    @Test func serverReceivesRequests() async throws {
        previews.mount(
            Preview(
                .server(try PackageBaseURL("http://127.0.0.1:5173/dev/")),
                over: try PackageBaseURL("https://shop.example/a/b/")))
        let response = try #require(try await answer("https://shop.example/a/b/c//d%20e?f=/g", .post))
        let sent = try #require(network.requests.withLock { $0.last })
        #expect(sent.urlText == "http://127.0.0.1:5173/dev/c//d%20e?f=/g" && sent.method == .post)
        #expect(response.provenance.source == .network && response.provenance.reason.hasPrefix("preview of http://"))
        #expect(response.head.headerFields[.cacheControl] == "no-store")
        #expect(try await text("https://shop.example/a/b/") == "http://127.0.0.1:5173/dev/")
        #expect(try await text("https://shop.example/a/") == nil)
    }

    @Test func lastMountedPreviewDecides() async throws {
        let whole = Preview(.folder(directory.path), over: try PackageBaseURL("https://shop.example/"))
        previews.mount(try folder)
        previews.mount(whole)
        #expect(previews.mounted == [whole, try folder])
        #expect(try await text("https://shop.example/app/") == nil)
        #expect(try await text("https://shop.example/secret.txt") == "secret")
        #expect(previews.unmount(whole) && !previews.unmount(whole))
        #expect(try await text("https://shop.example/app/") == "home")
        // A second preview with the same base URL replaces the first one.
        let other = Preview(.folder(directory.path), over: try folder.baseURL)
        previews.mount(other)
        #expect(previews.mounted == [other])
        #expect(previews.covers("https://shop.example/app/x") && !previews.covers("https://shop.example/"))
    }
}
