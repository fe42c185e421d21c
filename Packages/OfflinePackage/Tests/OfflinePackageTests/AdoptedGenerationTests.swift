// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ResourceLoading
import Testing

@_spi(Facade) @testable import OfflinePackage
@testable import ResourceStore

/// Pages that adopt the active generations while they are open, as for a reload with a new version.
@Suite("Adopted generations", .timeLimit(.minutes(1)))
struct AdoptedGenerationTests {
    private let fixture: Fixture
    private let one = PageID(rawValue: 1)
    private let two = PageID(rawValue: 2)
    private let home = "https://shop.example/index.html"

    init() throws {
        fixture = try Fixture()
    }

    private func install(_ version: Int) async throws -> InstalledPackage {
        try await fixture.install(
            ["index.html": "\(version)", "app-\(version).js": "\(version)"], version: "\(version)")
    }

    /// Returns the response to a request that one of several pages may have sent.
    private func get(_ url: String, _ requesters: [PageID]) async throws -> String? {
        var attribution: PageAttribution?
        if let first = requesters.first {
            attribution = page(fixture.library.generations(of: first), .inferred, of: first)
            attribution?.requesters = requesters
        }
        return try await fixture.get(url, page: attribution)
    }

    @Test("A page adopts the active generations if one that covers its document differs, else none")
    func adoption() async throws {
        let first = try await install(1)
        let other = try await fixture.install(
            ["a.js": "1"], id: "other", version: "1", base: "https://other.example/")
        fixture.library.pin(one)
        #expect(!fixture.library.adoptActive(one, covering: home))
        let otherNext = try await fixture.install(
            ["a.js": "2"], id: "other", version: "2", base: "https://other.example/")
        #expect(!fixture.library.adoptActive(one, covering: home))
        #expect(!fixture.library.canAdopt(otherNext.generation, for: one, covering: home))
        #expect(
            fixture.library.generations(of: one)
                == [other.generation, first.generation].sorted { $0.number < $1.number })
        let second = try await install(2)
        #expect(!fixture.library.adoptActive(two, covering: home), "the page is not open")
        #expect(!fixture.library.adoptActive(one, covering: "no URL"))
        for next in [otherNext, second] {
            #expect(fixture.library.canAdopt(next.generation, for: one, covering: home))
            #expect(!fixture.library.canAdopt(next.generation, for: two, covering: home))
        }
        #expect(fixture.library.adoptActive(one, covering: home))
        #expect(!fixture.library.canAdopt(second.generation, for: one, covering: home))
        #expect(fixture.library.generations(of: one) == [otherNext.generation, second.generation])
        #expect(!fixture.library.adoptActive(one, covering: home))
        #expect(try await fixture.library.sweep().generations.count == 2)
    }

    @Test("A generation that the page failed to boot on is not adopted")
    func avoided() async throws {
        let first = try await install(1)
        fixture.library.pin(one)
        #expect(fixture.library.repin(one, without: [first.generation]))
        #expect(!fixture.library.adoptActive(one, covering: home))
        #expect(!fixture.library.canAdopt(first.generation, for: one, covering: home))
        let second = try await install(2)
        #expect(fixture.library.adoptActive(one, covering: home))
        #expect(fixture.library.generations(of: one) == [second.generation])
    }

    @Test(
        "Of two pages with shared requests, each gets its own generation; an ambiguous request prefers the first page")
    func twoPages() async throws {
        _ = try await install(1)
        fixture.library.pin(one, isShared: true)
        fixture.library.pin(two, isShared: true)
        _ = try await install(2)
        #expect(try await get(home, [one]) == "1")
        #expect(fixture.library.adoptActive(one, covering: home))
        #expect(try await get(home, [one]) == "2")
        #expect(try await get(home, [two]) == "1")
        #expect(try await get(home, [one, two]) == "2")
        #expect(try await get(home, [two, one]) == "1")
        #expect(try await get(home, []) == "2")
        for requesters in [[one, two], [two, one], []] {
            #expect(try await get("https://shop.example/app-1.js", requesters) == "1")
            #expect(try await get("https://shop.example/app-2.js", requesters) == "2")
        }
        #expect(try await get("https://shop.example/app-1.js", [one]) == nil)
        #expect(try await get("https://shop.example/app-2.js", [two]) == nil)
        // A page that opens later uses the active generation, and the older one is removed with its last page.
        let three = PageID(rawValue: 3)
        fixture.library.pin(three, isShared: true)
        #expect(try await get(home, [three]) == "2")
        #expect(try await fixture.library.sweep().generations.isEmpty)
        fixture.library.unpin(two)
        #expect(try await fixture.library.sweep().generations.count == 1)
        #expect(try await get(home, [three, one]) == "2")
    }

    @Test("After a rollback, the active generation precedes a newer one that a page still uses")
    func rollback() async throws {
        let first = try await install(1)
        fixture.library.pin(one, isShared: true)
        fixture.library.pin(two, isShared: true)
        _ = try await install(2)
        #expect(fixture.library.adoptActive(one, covering: home))
        #expect(try await get(home, []) == "2")
        let former = try PackageGeneration(
            #require(fixture.store.generations(in: .retired).first { $0.number == first.generation.number }))
        try fixture.library.makeActive(former)
        #expect(try await get(home, []) == "1")
        let three = PageID(rawValue: 3)
        #expect(fixture.library.pin(three, isShared: true) == [first.generation])
    }

    @Test(
        "A page whose requests are unambiguous sees one version, however pages open, reload and close",
        arguments: 0..<24)
    func interleavings(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var active = 1
        /// The version of each open page.
        var pages: [PageID: Int] = [:]
        var lastPage: UInt64 = 0
        _ = try await install(active)
        for _ in 0..<40 {
            let open = pages.keys.sorted { $0.rawValue < $1.rawValue }
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where pages.count < 4:
                lastPage += 1
                let page = PageID(rawValue: lastPage)
                fixture.library.pin(page, isShared: true)
                pages[page] = pages.values.contains(active) ? active : pages.values.max() ?? active
            case 1:
                guard let page = open.randomElement(using: &random) else { break }
                fixture.library.unpin(page)
                pages[page] = nil
            case 2:
                active += 1
                _ = try await install(active)
            case 3:
                guard let page = open.randomElement(using: &random) else { break }
                #expect(fixture.library.adoptActive(page, covering: home) == (pages[page] != active))
                pages[page] = active
            default: _ = try await fixture.library.sweep()
            }
            for (page, version) in pages {
                #expect(try await get(home, [page]) == "\(version)")
                for requesters in [[page], pages.keys.shuffled(using: &random), []] {
                    #expect(try await get("https://shop.example/app-\(version).js", requesters) == "\(version)")
                }
            }
            let versions = Set(pages.values)
            if let only = versions.first, versions.count == 1 { #expect(try await get(home, []) == "\(only)") }
        }
        for page in pages.keys { fixture.library.unpin(page) }
        _ = try await fixture.library.sweep()
        #expect(try fixture.store.generations(in: .retired).isEmpty)
        #expect(try await get(home, []) == "\(active)")
    }
}
