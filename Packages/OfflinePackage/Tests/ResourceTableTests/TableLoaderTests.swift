// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import ResourceTable

/// Tests of responses from the table and fetches of missing files.
@Suite("Loading from the table", .timeLimit(.minutes(1)))
struct TableLoaderTests {
    private let fixture = LibraryFixture()
    private let maker = TableMaker("553", count: 3)
    private var network: FakeNetwork { fixture.network }

    private func library(downloading: Bool = true) async throws -> TableLibrary {
        let library = try await fixture.open()
        try await fixture.update(library, to: maker)
        if downloading { await library.downloadPending() }
        network.removeRequests()
        return library
    }

    @Test("A stored file is served with its header fields and bytes")
    func answers() async throws {
        let library = try await library()
        let response = try #require(try await fixture.response(library, maker.items[1].url + "#top"))
        let expected: HTTPFields = [
            .contentType: "application/javascript;charset=UTF-8",
            .eTag: "\"\(MD5Digest(of: maker.items[1].bytes))\"", .cacheControl: "no-cache",
        ]
        #expect(response.head.status == .ok && response.head.headerFields == expected)
        #expect(try await response.body.collect(upTo: 100) == maker.items[1].bytes)
        #expect(response.provenance.source == .package)
        #expect(response.provenance.reason == "resource table 553: \(maker.items[1].url)")
        let head = try #require(try await fixture.response(library, maker.items[1].url, .head))
        #expect(head.head == response.head && head.body.length == 9)
        #expect(network.requestedURLs.isEmpty)
    }

    @Test("A table with an invalid entry applies, the entry is counted, and requests match in any percent-encoding")
    func invalidEntryAndSpelling() async throws {
        let library = try await fixture.open()
        var maker = TableMaker("554", [.init(path: "a%2Db/%c3%a9.js", content: "one")])
        maker.items.append(.init(path: "plain.js", content: "two"))
        let json = maker.json.replacingOccurrences(
            of: #""resourcemap":{"#, with: ##""resourcemap":{"//cdn.example.com/x.js":{"version":"1"},"##)
        network.serve(maker)
        network[LibraryFixture.primary] = .bytes(Data(json.utf8))
        fixture.pass(30)
        guard case .replaced(.primary, let diff) = try await library.check(.open) else {
            Issue.record("the table was not adopted")
            return
        }
        #expect(diff.invalidCount == 1 && diff.added.count == 2)
        #expect(library.counters.invalidEntries == 1)
        for path in ["a-b/%C3%A9.js", "a%2db/%c3%A9.js", "%61-b/é.js"] {
            #expect(try await fixture.text(library, "https://cdn.example.com/" + path) == "one", "\(path)")
        }
        #expect(try await fixture.text(library, "https://cdn.example.com/plain.js") == "two")
        #expect(try await fixture.response(library, "https://cdn.example.com/a%2Fb/%C3%A9.js") == nil)
        // The count is also known after the next launch.
        #expect(try await fixture.open().counters.invalidEntries == 1)
    }

    @Test("Requests that the table does not cover are passed to the next loader")
    func others() async throws {
        let empty = try await LibraryFixture().open()
        #expect(try await fixture.response(empty, maker.items[0].url) == nil)
        let library = try await library()
        for url in [maker.items[0].url + "?a", "https://cdn.example.com/other", maker.items[0].key] {
            #expect(try await fixture.response(library, url) == nil)
        }
        for method in [HTTPRequest.Method.post, .put, .delete, .options] {
            #expect(try await fixture.response(library, maker.items[0].url, method) == nil)
        }
        #expect(network.requestedURLs.isEmpty)
    }

    @Test("A missing file is fetched once for concurrent requests, then served from the store")
    func fill() async throws {
        let library = try await library(downloading: false)
        let item = maker.items[0]
        #expect(try await fixture.response(library, item.url, .head) == nil)
        let gate = Gate()
        network[item.key] = .gated(gate, item.bytes)
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try? await fixture.text(library, item.url) } }
            await gate.arrivals(1)
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        // Later requests found the file in the store.
        #expect(texts == Array(repeating: "content 0", count: 20) && network.requestedURLs == [item.key])
        let again = try #require(try await fixture.response(library, item.url))
        #expect(again.provenance.source == .package && network.requestedURLs == [item.key])
    }

    @Test("A caller that checked the store before a download ended receives the stored file")
    func lateAsker() async throws {
        let library = try await library(downloading: false)
        let item = maker.items[0]
        let gate = Gate()
        fixture.store.state.withLock { $0.readingGate = gate }
        async let late = fixture.response(library, item.url)
        await gate.arrivals(1)
        #expect(try await fixture.text(library, item.url) == "content 0")
        gate.open()
        let response = try #require(try await late)
        #expect(try await response.body.collect(upTo: 100) == item.bytes)
        #expect(response.provenance.source == .package && network.requestedURLs == [item.key])
        #expect(library.counters.fills == 1)
    }

    @Test("The first response has the provenance of the network")
    func fillProvenance() async throws {
        let library = try await library(downloading: false)
        let response = try #require(try await fixture.response(library, maker.items[0].url))
        #expect(response.provenance.source == .network)
        #expect(response.body.length == 9)
        // The conditions for background downloads have no influence.
        fixture.conditions.set(HostConditions(isIdle: false, network: .metered))
        #expect(try await fixture.text(library, maker.items[1].url) == "content 1")
        #expect(library.counters.fills == 2)
    }

    @Test("If a file cannot be fetched, the request is passed to the next loader, and the file is not retried at once")
    func cannotFill() async throws {
        let library = try await library(downloading: false)
        let item = maker.items[0]
        network[item.key] = .bytes(Data("forged".utf8))
        #expect(try await fixture.response(library, item.url) == nil)
        #expect(fixture.store.keys.isEmpty && library.counters.failedFills == 1)
        network.serve(maker)
        #expect(try await fixture.response(library, item.url) == nil)
        #expect(network.requestedURLs == [item.key])
        fixture.pass(30)
        #expect(try await fixture.text(library, item.url) == "content 0")
        fixture.conditions.set(HostConditions(isIdle: true, network: .none))
        #expect(try await fixture.response(library, maker.items[1].url) == nil)
        #expect(try await fixture.text(library, item.url) == "content 0")
    }

    @Test("A file that stalls delays a page only for the time limit")
    func stall() async throws {
        let library = try await library(downloading: false)
        let gate = Gate()
        network[maker.items[0].key] = .gated(gate, Data())
        async let response = fixture.response(library, maker.items[0].url)
        await gate.arrivals(1)
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: .seconds(30))
        #expect(try await response == nil)
        #expect(gate.cancelled == 1)
    }

    @Test("A cancelled page stops its download unless another page waits for it")
    func cancel() async throws {
        let library = try await library(downloading: false)
        let item = maker.items[0]
        let gate = Gate()
        network[item.key] = .gated(gate, item.bytes)
        let first = Task { try await fixture.text(library, item.url) }
        await gate.arrivals(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        // A new request starts a new download and does not receive the cancellation.
        let second = Task { try await fixture.text(library, item.url) }
        await gate.arrivals(2)
        gate.open()
        #expect(try await second.value == "content 0")
        #expect(network.requestedURLs == [item.key, item.key] && library.counters.failedFills == 0)
    }

    @Test("Pages are served even if the store cannot be read or written")
    func brokenStore() async throws {
        let library = try await library()
        fixture.store.state.withLock { state in
            state.refusesReading = true
            state.refusesFiles = true
        }
        #expect(try await fixture.text(library, maker.items[0].url) == "content 0")
        #expect(library.counters.unreadableFiles == 1 && library.counters.failedWrites == 1)
    }
}
