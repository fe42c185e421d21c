// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import ResourceStore
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct LoaderTests {
    let fixture: Fixture
    let site = ["index.html": "home", "lab/index.html": "lab", "app.js": "code", "a b.js": "blank", "ü.js": "umlaut"]

    init() throws {
        fixture = try Fixture()
    }

    @Test func respondsWithHeadAndFile() async throws {
        let package = try await fixture.install(site, version: "1.0")
        let response = try #require(try await fixture.response(to: "https://shop.example/app.js?v=1"))
        #expect(response.head.status == .ok)
        let digest = SHA256Digest(of: Data("code".utf8))
        let expected: HTTPFields = [
            .contentType: "text/javascript", .eTag: "\"\(digest)\"", .cacheControl: "no-cache",
        ]
        #expect(response.head.headerFields == expected)
        guard case .bytes(let bytes) = response.body else {
            Issue.record("the body is not in memory: \(response.body)")
            return
        }
        #expect(bytes == Data("code".utf8))
        #expect(response.provenance.source == .package)
        #expect(response.provenance.generation == package.generation)
        #expect(response.provenance.reason == "package shop 1.0: app.js")
    }

    @Test func addsFieldsOfRules() async throws {
        var tags: Set<String> = []
        for (version, policy) in [("1", "same-origin"), ("2", "unsafe-none"), ("3", "unsafe-none")] {
            try await installRules(version: version, policy: policy)
            // The library of a later launch reads the rules from the store.
            for loader in [fixture.loader, .package(try PackageLibrary(store: fixture.store))] {
                tags.insert(try await checkFields(of: loader, policy: policy))
            }
        }
        #expect(tags.count == 2)
    }

    @Test func addsNoFieldsToOtherFiles() async throws {
        try await installRules(version: "1", policy: "same-origin")
        let plain = try #require(try await fixture.response(to: "https://shop.example/app.js"))
        #expect(plain.head.headerFields.count == 3)
    }

    private func installRules(version: String, policy: String) async throws {
        fixture.archives.add("shop", site.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        let rules = [
            try ResponseFieldRule(path: "/", fields: ["Cross-Origin-Opener-Policy": policy]),
            try ResponseFieldRule(path: "/lab/*", fields: ["Cache-Control": "no-store"]),
        ]
        let manifest = try fixture.manifest(site, version: version) { $0.fieldRules = rules }
        try await fixture.library.install(archive: "shop", manifest: manifest)
    }

    /// Checks the fields of rules in two responses.
    ///
    /// It is not part of the test, because the compiler gave the larger function a context that is too small
    /// (docs/decisions/0060).
    /// - Returns: the entity tag of the document.
    private func checkFields(of loader: any ResourceLoader, policy: String) async throws -> String {
        let response = try #require(try await loader.load(ResourceRequest(request("https://shop.example/?a"))))
        let tag = try #require(response.head.headerFields[.eTag])
        let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        #expect(
            response.head.headerFields == [
                .contentType: "text/html;charset=utf-8", .eTag: tag, .cacheControl: "no-cache", opener: policy,
            ])
        #expect(tag.hasPrefix("\"\(SHA256Digest(of: Data("home".utf8)))-"))
        let lab = try #require(try await loader.load(ResourceRequest(request("https://shop.example/lab/"))))
        #expect(lab.head.headerFields[values: .cacheControl] == ["no-store"])
        return tag
    }

    @Test func servesLargeFileAsFile() async throws {
        let text = String(repeating: "x", count: 100_000)
        try await fixture.install(["large.js": text], version: "1")
        let response = try #require(try await fixture.response(to: "https://shop.example/large.js"))
        guard case .file(let slice) = response.body else {
            Issue.record("the body is not a file: \(response.body)")
            return
        }
        #expect(try slice.read() == Data(text.utf8))
    }

    @Test func servesHeadLikeGet() async throws {
        try await fixture.install(site, version: "1")
        let get = try #require(try await fixture.response(to: "https://shop.example/app.js"))
        let head = try #require(try await fixture.response(to: "https://shop.example/app.js", .head))
        // HTTPSemantics handles the body of a HEAD response.
        #expect(head.head == get.head && head.body.length == 4)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .options])
    func ignoresOtherMethods(_ method: HTTPRequest.Method) async throws {
        try await fixture.install(site, version: "1")
        #expect(try await fixture.response(to: "https://shop.example/app.js", method) == nil)
    }

    @Test(
        arguments: [
            ("https://shop.example/", "home"), ("https://shop.example", "home"),
            ("https://shop.example/index.html", "home"), ("https://shop.example/lab/", "lab"),
            ("https://shop.example/?x=lab/", "home"), ("https://SHOP.example:443/app.js#top", "code"),
            ("https://shop.example/a%20b.js", "blank"), ("https://shop.example/%61pp.js", "code"),
            ("https://shop.example/%C3%BC.js", "umlaut"), ("https://shop.example/u%CC%88.js", nil),
            ("https://shop.example/lab", nil), ("https://shop.example/none.js", nil),
            ("https://shop.example/APP.js", nil), ("https://shop.example//app.js", nil),
            ("https://shop.example/lab%2Findex.html", nil), ("https://shop.example/app.js%00", nil),
            ("https://shop.example/lab/../app.js", nil), ("https://shop.example/lab/%2e%2e/app.js", nil),
            ("https://shop.example/a+b.js", nil), ("https://shop.example:444/app.js", nil),
            ("http://shop.example/app.js", nil), ("https://example/app.js", nil),
            ("https://shop.example./app.js", nil), ("https://me@shop.example/app.js", nil),
        ] as [(String, String?)])
    func mapsURLs(_ url: String, _ expected: String?) async throws {
        try await fixture.install(site, version: "1")
        #expect(try await fixture.get(url) == expected)
    }

    @Test(arguments: [("\u{FC}", "%C3%BC", "u%CC%88"), ("u\u{308}", "u%CC%88", "%C3%BC")])
    func comparesPathsByBytes(_ name: String, _ escaped: String, _ other: String) async throws {
        try await fixture.install(["\(name).js": "umlaut"], version: "1")
        #expect(try await fixture.get("https://shop.example/\(escaped).js") == "umlaut")
        #expect(try await fixture.get("https://shop.example/\(other).js") == nil)
    }

    @Test(arguments: [(true, false), (false, true)])
    func findsComposedPathsOfEarlierBuilds(_ keepsSpelling: Bool, _ isFound: Bool) async throws {
        let package = try await fixture.install(["\u{FC}.js": "umlaut"], version: "1")
        let entries = try fixture.store.entries(of: package.generation.number)
        // One generation has its table in memory, the other reads it from the store.
        for table in [entries, nil] {
            let generation = try PackageGeneration(
                package, minHost: nil, keepsSpelling: keepsSpelling, table: table)
            for (path, hasFile) in [("%C3%BC.js", true), ("u%CC%88.js", isFound), ("u%CC%88.css", false)] {
                let url = try #require(PackageURL("https://shop.example/\(path)"))
                #expect((try generation.file(at: url, in: fixture.store) != nil) == hasFile)
                let known = try #require(generation.knownFile(at: url))
                #expect((known != nil) == hasFile)
            }
        }
    }

    @Test func recordsOfEarlierBuildsHaveComposedPaths() throws {
        let record = try GenerationRecord(
            decoding: Data(#"{"baseURL":"https://shop.example/","isComplete":false}"#.utf8))
        #expect(record.keepsSpelling == nil)
        let manifest = try PackageManifest(
            id: PackageID("shop"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://shop.example/"),
            files: [])
        #expect(try GenerationRecord(decoding: GenerationRecord(of: manifest).encoded()).keepsSpelling == true)
    }

    @Test func mapsURLsUnderBasePath() async throws {
        try await fixture.install(site, version: "1", base: "https://shop.example:8080/%C3%A4pp/v1/")
        #expect(try await fixture.get("https://shop.example:8080/%c3%a4pp/v1/app.js") == "code")
        #expect(try await fixture.get("https://shop.example:8080/%C3%A4pp/v1/") == "home")
        #expect(try await fixture.get("https://shop.example:8080/%C3%A4pp/v1") == nil)
        #expect(try await fixture.get("https://shop.example:8080/app.js") == nil)
        #expect(try await fixture.get("https://shop.example/%C3%A4pp/v1/app.js") == nil)
    }

    @Test func longestBasePathDecides() async throws {
        let outer = ["index.html": "outer", "in/index.html": "hidden", "in/only-outer.js": "hidden"]
        try await fixture.install(["index.html": "inner"], id: "inner", version: "1", base: "https://shop.example/in/")
        try await fixture.install(outer, id: "outer", version: "1")
        #expect(try await fixture.get("https://shop.example/") == "outer")
        #expect(try await fixture.get("https://shop.example/in/") == "inner")
        #expect(try await fixture.get("https://shop.example/in/only-outer.js") == nil)
        #expect(try await fixture.library.remove(try #require(fixture.library.installed.first).id))
        #expect(try await fixture.get("https://shop.example/in/only-outer.js") == "hidden")
    }

    @Test func packagesCanShareBaseURL() async throws {
        try await fixture.install(["a.js": "a1", "both.js": "1"], id: "one", version: "1")
        try await fixture.install(["b.js": "b2", "both.js": "2"], id: "two", version: "1")
        #expect(try await fixture.get("https://shop.example/a.js") == "a1")
        #expect(try await fixture.get("https://shop.example/b.js") == "b2")
        #expect(try await fixture.get("https://shop.example/both.js") == "2")
    }

    @Test func completePackageRespondsNotFound() async throws {
        let package = try await fixture.install(site, version: "1", base: "https://shop.example/app/", isComplete: true)
        #expect(try await fixture.get("https://shop.example/app/app.js") == "code")
        for method in [HTTPRequest.Method.get, .head] {
            let response = try #require(try await fixture.response(to: "https://shop.example/app/none?x", method))
            #expect(response.head.status == .notFound)
            // The response may be for a document in a frame, for which an engine shows nothing without a type.
            #expect(response.head.headerFields[.contentType] == "text/html;charset=utf-8")
            let page = String(decoding: try await response.body.collect(upTo: 1 << 10), as: UTF8.self)
            #expect(page.contains("<h1>Not Found</h1>"))
            #expect(response.provenance.source == .package && response.provenance.generation == package.generation)
            #expect(response.provenance.reason == "package shop 1 is complete, without /app/none")
        }
        // URLs outside the package, and requests that no file can serve, are passed to the network.
        #expect(try await fixture.response(to: "https://shop.example/none") == nil)
        #expect(try await fixture.response(to: "https://shop.example/app/none", .post) == nil)
    }

    @Test(
        arguments: [
            ("/app/lab", "/app/lab/"), ("/app/lab?a=/x/", "/app/lab/?a=/x/"), ("/app/l%61b?", "/app/l%61b/?"),
            ("/app/inner", "/app/inner/"), ("/app/none", nil), ("/app/app.js", nil), ("/app/app.js/", nil),
            ("/app/lab/", nil), ("/app/deep", nil), ("/app//lab", nil),
        ] as [(String, String?)])
    func completePackageRedirectsToFolder(_ path: String, _ expected: String?) async throws {
        let base = "https://shop.example/app/"
        let deep = site.merging(["deep/in/x.js": "x"]) { $1 }
        let package = try await fixture.install(deep, version: "1", base: base, isComplete: true)
        try await fixture.install(["index.html": "in"], id: "inner", version: "1", base: base + "inner/")
        for method in [HTTPRequest.Method.get, .head] {
            let response = try #require(try await fixture.response(to: "https://shop.example\(path)", method))
            guard let expected else {
                #expect(response.head.status != .movedPermanently)
                continue
            }
            #expect(response.head.status == .movedPermanently && response.body.length == 0)
            #expect(response.head.headerFields[.location] == "https://shop.example\(expected)")
            // The engine must revalidate, so that the redirect does not outlive the generation.
            #expect(response.head.headerFields[.cacheControl] == "no-cache")
            #expect(response.provenance.source == .package && response.provenance.generation == package.generation)
        }
    }

    @Test("A 404 response has the fields that the missing file would have, and a redirect has none of the rules")
    func notFoundHasFieldsOfRules() async throws {
        let rules = [
            try ResponseFieldRule(
                path: "/*",
                fields: ["Cross-Origin-Opener-Policy": "same-origin", "Content-Security-Policy": "default-src 'self'"]),
            try ResponseFieldRule(path: "/lab", fields: ["Link": "<a>"]),
            try ResponseFieldRule(path: "/lab/", fields: ["Cache-Control": "no-store"]),
            try ResponseFieldRule(path: "/page", fields: ["Cross-Origin-Embedder-Policy": "require-corp"]),
        ]
        fixture.archives.add("shop", [.init("lab/index.html", "lab")])
        let manifest = try fixture.manifest(
            ["lab/index.html": "lab"], version: "1", base: "https://shop.example/app/"
        ) {
            $0.fieldRules = rules
            $0.isComplete = true
        }
        try await fixture.library.install(archive: "shop", manifest: manifest)
        let missing: HTTPFields = [
            .contentType: "text/html;charset=utf-8", .cacheControl: "no-cache",
            .init("Content-Security-Policy")!: "default-src 'self'",
            .init("Cross-Origin-Opener-Policy")!: "same-origin",
        ]
        var isolated = missing
        isolated[.init("Cross-Origin-Embedder-Policy")!] = "require-corp"
        // The library of a later launch reads the rules from the store.
        for loader in [fixture.loader, .package(try PackageLibrary(store: fixture.store))] {
            for (path, fields) in [("none", missing), ("a/", missing), ("page.html?a", isolated), ("page", isolated)] {
                let response = try #require(
                    try await loader.load(ResourceRequest(request("https://shop.example/app/\(path)"))))
                #expect(response.head.status == .notFound)
                #expect(response.head.headerFields == fields, "\(path)")
            }
            let redirect = try #require(
                try await loader.load(ResourceRequest(request("https://shop.example/app/lab"))))
            #expect(redirect.head.status == .movedPermanently)
            #expect(
                redirect.head.headerFields
                    == [.location: "https://shop.example/app/lab/", .cacheControl: "no-cache"])
        }
    }

    @Test("A rule for Cache-Control replaces that of a 404 response")
    func notFoundHasCacheControlOfRules() async throws {
        fixture.archives.add("shop", [.init("a.js", "a")])
        let manifest = try fixture.manifest(["a.js": "a"], version: "1") {
            $0.fieldRules = [try ResponseFieldRule(path: "/none/*", fields: ["Cache-Control": "no-store"])]
            $0.isComplete = true
        }
        try await fixture.library.install(archive: "shop", manifest: manifest)
        let response = try #require(try await fixture.response(to: "https://shop.example/none/a.js"))
        #expect(response.head.status == .notFound)
        #expect(response.head.headerFields[values: .cacheControl] == ["no-store"])
    }

    @Test func redirectStaysInOrigin() async throws {
        try await fixture.install(
            ["in/index.html": "x"], version: "1", base: "https://shop.example//b/", isComplete: true)
        let response = try #require(try await fixture.response(to: "https://shop.example//b/in"))
        #expect(response.head.headerFields[.location] == "https://shop.example//b/in/")
    }

    @Test func folderOfOtherPackageUsesNetwork() async throws {
        try await fixture.install(site, version: "1")
        #expect(try await fixture.response(to: "https://shop.example/lab") == nil)
    }

    @Test func completePackageHidesNoOtherPackage() async throws {
        try await fixture.install(["b.js": "b"], id: "beside", version: "1")
        try await fixture.install(["c.js": "c"], id: "inner", version: "1", base: "https://shop.example/in/")
        try await fixture.install(["a.js": "a"], id: "complete", version: "1", isComplete: true)
        #expect(try await fixture.get("https://shop.example/a.js") == "a")
        #expect(try await fixture.get("https://shop.example/b.js") == "b")
        #expect(try await fixture.get("https://shop.example/in/c.js") == "c")
        #expect(try await fixture.response(to: "https://shop.example/in/d.js") == nil)
        #expect(try await fixture.response(to: "https://shop.example/d.js")?.head.status == .notFound)
    }

    @Test func completenessIsStoredWithManifest() async throws {
        let first = try await fixture.install(site, version: "1", isComplete: true)
        let reopened = try PackageLibrary(store: fixture.store, archives: fixture.archives)
        #expect(reopened.installed == [first] && first.isComplete)
        // The same files have the same version, but the package is no longer complete.
        let second = try await fixture.install(site, version: "1")
        #expect(second.generation != first.generation)
        #expect(try await fixture.response(to: "https://shop.example/none") == nil)
    }

    @Test func unreadableFileIsNotReportedAsMissing() async throws {
        let large = String(repeating: "x", count: 100_000)
        try await fixture.install(["large.js": large], version: "1", isComplete: true)
        try FileManager.default.removeItem(atPath: path(of: large))
        #expect(try await fixture.response(to: "https://shop.example/large.js") == nil)
    }

    @Test func covers() async throws {
        try await fixture.install(site, version: "1", base: "https://shop.example/app/")
        #expect(fixture.library.covers("https://shop.example/app/none.html?x"))
        #expect(fixture.library.covers("https://Shop.Example:443/app/"))
        #expect(!fixture.library.covers("https://shop.example/app"))
        #expect(!fixture.library.covers("https://shop.example/"))
        #expect(!fixture.library.covers("https://other.example/app/"))
        #expect(!fixture.library.covers("about:blank"))
    }

    @Test(arguments: [true, false])
    func damagedFileIsPassedOnAndCounted(_ isMissing: Bool) async throws {
        let large = String(repeating: "x", count: 100_000)
        let site = ["index.html": "home", "large.js": large]
        try await fixture.install(site, version: "1")
        if isMissing {
            try FileManager.default.removeItem(atPath: path(of: large))
        } else {
            try Data("cod".utf8).write(to: URL(filePath: path(of: large)))
        }
        #expect(try await fixture.get("https://shop.example/large.js") == nil)
        #expect(fixture.library.unreadableFiles == 1)
        #expect(fixture.store.counters.damagedBlobs == (isMissing ? 0 : 1))
        #expect(try await fixture.get("https://shop.example/") == "home")
        // A new install repairs the file.
        try await fixture.install(site, version: "1")
        #expect(try await fixture.get("https://shop.example/large.js") == large)
        #expect(fixture.library.unreadableFiles == 1)
    }

    /// Returns the path of a large file in the store.
    private func path(of text: String) throws -> String {
        guard case .file(let file) = try fixture.store.blob(SHA256Digest(of: Data(text.utf8))).content else {
            throw CocoaError(.fileNoSuchFile)
        }
        return file.path
    }

    @Test func emptyFile() async throws {
        try await fixture.install(["empty.js": ""], version: "1")
        #expect(try await fixture.get("https://shop.example/empty.js") == "")
    }

    @Test func emptyLibrary() async throws {
        #expect(try await fixture.get("https://shop.example/") == nil)
        #expect(fixture.library.pin(PageID(rawValue: 1)) == [])
    }
}
