// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct MemoryTests {
    @Test func tablesAreReleasedAndReadAgain() async throws {
        let fixture = try Fixture()
        try await fixture.install(["index.html": "home"], version: "1")
        let generation = try #require(fixture.library.activeGeneration(of: PackageID("shop")))
        let url = try #require(PackageURL("https://shop.example/"))
        #expect(generation.knownFile(at: url) != nil)
        fixture.library.releaseMemory()
        #expect(generation.knownFile(at: url) == nil)
        #expect(try await fixture.get("https://shop.example/") == "home")
        #expect(generation.knownFile(at: url) != nil)
    }

    @Test func bytesInMemoryAreServedImmediately() async throws {
        let fixture = try Fixture()
        try await fixture.install(["index.html": "home"], version: "1")
        let loader = PackageLoader(fixture.library)
        let request = ResourceRequest(try #require(HTTPRequest(urlText: "https://shop.example/")))
        let loaded = try await loader.load(request)
        guard case .known(let answer) = loader.immediateResponse(to: request) else {
            Issue.record("later")
            return
        }
        #expect(answer?.head == loaded?.head && answer?.provenance == loaded?.provenance)
        #expect(answer?.body.length == 4)
        // A missing file may be in another package or need the response of a complete package, so the lookup
        // continues.
        for (url, isKnown) in [("https://shop.example/none", false), ("https://other.example/", true)] {
            let request = ResourceRequest(try #require(HTTPRequest(urlText: url)))
            if case .known(let answer) = loader.immediateResponse(to: request) {
                #expect(isKnown && answer == nil)
            } else {
                #expect(!isKnown)
            }
        }
        fixture.library.releaseMemory()
        guard case .later = loader.immediateResponse(to: request) else {
            Issue.record("the table was read at once")
            return
        }
    }
}
