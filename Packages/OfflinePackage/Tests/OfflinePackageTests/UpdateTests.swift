// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct UpdateTests {
    let fixture: Fixture
    let id = PageID(rawValue: 1)
    let other = PageID(rawValue: 2)
    let old = ["index.html": "old home", "app.js": "same", "gone.js": "gone"]
    let new = ["index.html": "new home", "app.js": "same", "added.js": "added"]

    init() throws {
        fixture = try Fixture()
    }

    @Test func openPageKeepsGeneration() async throws {
        let first = try await fixture.install(old, version: "1")
        let pins = fixture.library.pin(id)
        #expect(pins == [first.generation])
        try await fixture.install(new, version: "2")
        #expect(try await fixture.library.sweep().generations == [])

        let open = page(pins)
        #expect(try await fixture.get("https://shop.example/", page: open) == "old home")
        #expect(try await fixture.get("https://shop.example/gone.js", page: open) == "gone")
        #expect(try await fixture.get("https://shop.example/added.js", page: open) == nil)
        // An inferred page has no effect on the lookup.
        #expect(try await fixture.get("https://shop.example/", page: page(pins, .inferred)) == "new home")
        #expect(try await fixture.get("https://shop.example/") == "new home")
        let later = page(fixture.library.pin(other), of: other)
        #expect(try await fixture.get("https://shop.example/", page: later) == "new home")

        fixture.library.unpin(id)
        #expect(try await fixture.library.sweep().generations == [first.generation.number])
        #expect(try fixture.store.rows.all().count == 3)
        // A closed page receives no response instead of another version.
        #expect(try await fixture.get("https://shop.example/", page: open) == nil)
    }

    @Test("Pages with shared requests use the generations of the first one until the last one closes")
    func sharedPages() async throws {
        let url = "https://shop.example/"
        try await fixture.install(old, version: "1")
        fixture.library.pin(id, isShared: true)
        try await fixture.install(new, version: "2")
        // A request without a page may belong to the page with shared requests.
        #expect(try await fixture.get(url) == "old home")
        #expect(try await fixture.get(url, page: page(fixture.library.generations(of: id), .inferred)) == "old home")
        // A page that identifies itself has the new generation.
        let told = PageID(rawValue: 3)
        let tellingPage = page(fixture.library.pin(told), of: told)
        #expect(try await fixture.get(url, page: tellingPage) == "new home")
        // Another page with shared requests uses the same generations, also after the first one closes.
        fixture.library.pin(other, isShared: true)
        fixture.library.unpin(id)
        try await fixture.library.sweep()
        #expect(try await fixture.get(url) == "old home")
        fixture.library.unpin(other)
        #expect(try await fixture.get(url) == "new home")
        #expect(try await fixture.library.sweep().generations.count == 1)
    }

    @Test(
        "A repinned page uses the active generation if it differs from the avoided one, otherwise none of the package")
    func repinned() async throws {
        let url = "https://shop.example/"
        let first = try await fixture.install(old, version: "1")
        let open = page(fixture.library.pin(id))
        #expect(fixture.library.generations(of: id, covering: url) == [first.generation])
        #expect(fixture.library.generations(of: id, covering: "https://other.example/").isEmpty)
        #expect(fixture.library.repin(id, without: [first.generation]))
        #expect(try await fixture.get(url, page: open) == nil)
        #expect(try await fixture.get(url) == "old home")
        let second = try await fixture.install(new, version: "2")
        #expect(fixture.library.repin(id, without: [first.generation]))
        #expect(fixture.library.generations(of: id) == [second.generation])
        #expect(try await fixture.get(url, page: open) == "new home")
        fixture.library.unpin(id)
        #expect(!fixture.library.repin(id, without: []))
        // After the only page with shared requests is repinned, no request without a page uses the avoided generation.
        fixture.library.pin(id, isShared: true)
        fixture.library.pin(other, isShared: true)
        #expect(!fixture.library.repin(id, without: [second.generation]))
        #expect(try await fixture.get(url) == "new home")
        fixture.library.unpin(other)
        #expect(fixture.library.repin(id, without: [second.generation]))
        #expect(try await fixture.get(url) == nil)
        fixture.library.unpin(id)
        #expect(try await fixture.get(url) == "new home")
    }

    @Test(
        "The generation with the longest base path decides a URL, with a file or because it is complete"
    )
    func answering() async throws {
        let outer = try await fixture.install(old, version: "1")
        let inner = try await fixture.install(
            ["index.html": "inner"], id: "inner", version: "1", base: "https://shop.example/inner/")
        fixture.library.pin(id)
        let answering = { (path: String) in
            await fixture.library.generation(of: id, answering: "https://shop.example/\(path)")
        }
        #expect(await answering("") == outer.generation)
        #expect(await answering("inner/?a#b") == inner.generation)
        #expect(await answering("none.html") == nil)
        #expect(await answering("inner/none.html") == nil)
        #expect(await fixture.library.generation(of: other, answering: "https://shop.example/") == nil)
        #expect(fixture.library.repin(id, without: []) && !fixture.library.repin(other, without: []))
    }

    @Test("A page that is repinned for one package keeps its generation of another, even if a newer one is active")
    func repinnedAlone() async throws {
        let first = try await fixture.install(old, version: "1")
        let library = try await fixture.install(old, id: "library", version: "1", base: "https://lib.example/")
        fixture.library.pin(id)
        try await fixture.install(new, id: "library", version: "2", base: "https://lib.example/")
        #expect(fixture.library.repin(id, without: [first.generation]))
        #expect(fixture.library.generations(of: id) == [library.generation])
    }

    @Test("While pages with shared requests are open, none uses a generation that one of them had to avoid")
    func avoidedTogether() async throws {
        let url = "https://shop.example/"
        let first = try await fixture.install(old, version: "1")
        fixture.library.pin(id, isShared: true)
        #expect(fixture.library.repin(id, without: [first.generation]))
        #expect(fixture.library.pin(other, isShared: true).isEmpty)
        #expect(try await fixture.get(url) == nil)
        // The repinned page closes first.
        fixture.library.unpin(id)
        #expect(try await fixture.get(url) == nil)
        fixture.library.unpin(other)
        #expect(fixture.library.pin(id, isShared: true) == [first.generation])
        #expect(try await fixture.get(url) == "old home")
    }

    @Test("A page that starts to share requests uses the shared generations and regains no avoided ones")
    func sharedLater() async throws {
        let first = try await fixture.install(old, version: "1")
        fixture.library.pin(id)
        #expect(fixture.library.repin(id, without: [first.generation]))
        #expect(fixture.library.share(id).isEmpty)
        #expect(try await fixture.get("https://shop.example/") == nil)
        #expect(fixture.library.pin(other, isShared: true).isEmpty)
        for page in [id, other] { fixture.library.unpin(page) }
        fixture.library.pin(other, isShared: true)
        let second = try await fixture.install(new, version: "2")
        #expect(fixture.library.pin(id) == [second.generation])
        #expect(fixture.library.share(id) == [first.generation])
        fixture.library.unpin(other)
        #expect(fixture.library.share(id) == [first.generation])
        fixture.library.unpin(id)
        #expect(fixture.library.share(id).isEmpty)
    }

    @Test("The origin of a removed package is served until the last page that uses the package closes")
    func servedOrigins() async throws {
        let request = try #require(HTTPRequest(urlText: "https://shop.example/any"))
        let elsewhere = try #require(HTTPRequest(urlText: "https://shop.example:8443/"))
        #expect(!fixture.library.serves(originOf: request))
        let package = try await fixture.install(old, version: "1")
        fixture.library.pin(id)
        #expect(fixture.library.serves(originOf: request) && !fixture.library.serves(originOf: elsewhere))
        try await fixture.library.remove(package.id)
        #expect(fixture.library.serves(originOf: request))
        fixture.library.unpin(id)
        #expect(!fixture.library.serves(originOf: request))
    }

    @Test func eachPageHasOwnPin() async throws {
        try await fixture.install(old, version: "1")
        fixture.library.pin(id)
        let again = fixture.library.pin(other)
        try await fixture.install(new, version: "2")
        fixture.library.unpin(id)
        try await fixture.library.sweep()
        #expect(try await fixture.get("https://shop.example/", page: page(again, of: other)) == "old home")
        fixture.library.unpin(other)
        #expect(try await fixture.library.sweep().generations.count == 1)
    }

    @Test func bodyRemainsValidAfterSweep() async throws {
        try await fixture.install(old, version: "1")
        let response = try #require(try await fixture.response(to: "https://shop.example/gone.js"))
        try await fixture.install(new, version: "2")
        #expect(try await fixture.library.sweep().blobs == 2)
        #expect(try await response.body.collect(upTo: 100) == Data("gone".utf8))
    }

    @Test func openPageKeepsRemovedPackage() async throws {
        let package = try await fixture.install(old, version: "1")
        let pins = fixture.library.pin(id)
        #expect(try await fixture.library.remove(package.id))
        #expect(try await !fixture.library.remove(package.id))
        try await fixture.library.sweep()
        #expect(fixture.library.installed == [])
        #expect(!fixture.library.covers("https://shop.example/"))
        #expect(try await fixture.get("https://shop.example/") == nil)
        #expect(try await fixture.get("https://shop.example/", page: page(pins)) == "old home")
        fixture.library.unpin(id)
        #expect(try await fixture.library.sweep().blobs == 3)
    }

    @Test func openPageKeepsOldBaseURL() async throws {
        try await fixture.install(old, version: "1")
        let pins = fixture.library.pin(id)
        try await fixture.install(new, version: "2", base: "https://shop.example/v2/")
        #expect(try await fixture.get("https://shop.example/", page: page(pins)) == "old home")
        #expect(try await fixture.get("https://shop.example/v2/", page: page(pins)) == nil)
        #expect(try await fixture.get("https://shop.example/v2/") == "new home")
        #expect(try await fixture.get("https://shop.example/") == nil)
    }

    @Test func openPageGetsPackageInstalledLater() async throws {
        try await fixture.install(old, version: "1")
        let pins = fixture.library.pin(id)
        try await fixture.install(["lib.js": "lib"], id: "cdn", version: "1", base: "https://cdn.example/")
        #expect(try await fixture.get("https://cdn.example/lib.js", page: page(pins)) == "lib")
    }

    @Test func openPageKeepsFirstVersionInstalledMeanwhile() async throws {
        let open = page(fixture.library.pin(id))
        #expect(try await fixture.get("https://shop.example/", page: open) == nil)
        let first = try await fixture.install(old, version: "1")
        #expect(fixture.library.generations(of: id) == [first.generation])
        #expect(fixture.library.generations(of: other) == [])
        try await fixture.install(new, version: "2")
        #expect(try await fixture.library.sweep().generations == [])
        #expect(try await fixture.get("https://shop.example/", page: open) == "old home")
        #expect(try await fixture.get("https://shop.example/added.js", page: open) == nil)
        #expect(try await fixture.get("https://shop.example/") == "new home")
        fixture.library.unpin(id)
        #expect(fixture.library.generations(of: id) == [])
        #expect(try await fixture.library.sweep().generations == [first.generation.number])
    }

    @Test func openPageKeepsGenerationOfReinstalledPackage() async throws {
        try await fixture.install(old, version: "1")
        let open = page(fixture.library.pin(id))
        try await fixture.library.remove(PackageID("shop"))
        try await fixture.install(new, version: "2")
        #expect(try await fixture.get("https://shop.example/", page: open) == "old home")
        fixture.library.unpin(id)
        #expect(try await fixture.library.sweep().generations.count == 1)
    }

    @Test func everyPageSeesOneVersionWhileUpdatesRun() async throws {
        func site(_ round: Int) -> Site { ["a.js": "a\(round)", "b.js": "b\(round)"] }
        try await fixture.install(site(0), version: "0")
        let fixture = fixture
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...25 {
                    try await fixture.install(site(round), version: "\(round)")
                    try await fixture.library.sweep()
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    for round in 0..<200 {
                        let id = PageID(rawValue: UInt64(reader * 200 + round))
                        let open = page(fixture.library.pin(id), of: id)
                        let first = try await fixture.get("https://shop.example/a.js", page: open)
                        await Task.yield()
                        let second = try await fixture.get("https://shop.example/b.js", page: open)
                        #expect(first?.dropFirst() == second?.dropFirst())
                        #expect(first != nil)
                        fixture.library.unpin(id)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.library.unreadableFiles == 0)
        #expect(try await fixture.get("https://shop.example/a.js") == "a25")
    }
}
