// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import Prefetch

/// Tests of concurrent pages, prefetch requests, cancellations and closed pages on real threads.
@Suite(.timeLimit(.minutes(2)))
struct RaceTests {
    /// A loader that responds to each request after a while with its number, in small pieces, or fails.
    private final class Origin: ResourceLoader {
        let failing: Int
        private let served = Mutex<[String: Int]>([:])

        init(failing: Int) {
            self.failing = failing
        }

        func count(_ url: String) -> Int { served.withLock { $0[url] ?? 0 } }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let url = request.head.urlText
            let number = served.withLock { served in
                served[url, default: 0] += 1
                return served[url] ?? 0
            }
            for _ in 0..<(url.utf8.count + number) % 7 { await Task.yield() }
            if failing > 0, url.hasSuffix("fails"), number == 1 { throw ResourceError(.connectionLost, "fails") }
            let text = Array(Self.text(url, number))
            let stream = AsyncStream<Data> { continuation in
                for byte in text { continuation.yield(Data([byte])) }
                continuation.finish()
            }
            return ResourceResponse(
                head: HTTPResponse(status: .ok), body: .stream(ByteStream(Yielding(base: stream))),
                provenance: Provenance(.network, reason: "origin"))
        }

        static func text(_ url: String, _ number: Int) -> Data {
            Data("\(number) \(url) \(String(repeating: "x", count: 30))".utf8)
        }
    }

    private struct Yielding: AsyncSequence, Sendable {
        let base: AsyncStream<Data>

        func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

        struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<Data>.Iterator

            mutating func next() async throws -> Data? {
                await Task.yield()
                try Task.checkCancellation()
                return await base.next()
            }
        }
    }

    @Test("Each request gets one complete response, and a prefetched request is not sent again", arguments: 0..<4)
    func once(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100 {
            let origin = Origin(failing: round % 2)
            var configuration = PrefetchLoader.Configuration()
            configuration.maxAnswerBytes = Int.random(in: 1...80, using: &generator)
            configuration.readAhead = Int.random(in: 1...20, using: &generator)
            configuration.maxBytes = Int.random(in: 20...200, using: &generator)
            let loader = PrefetchLoader(
                next: origin, completing: FixedFields(fields: [.cookie: "user=1"]), configuration: configuration,
                clock: ManualClock())
            let page = PageReference(id: PageID(rawValue: 1), documentURL: Fixture.url)
            let names = ["a", "b", "c", "fails"]
            let requests = try PrefetchTable(
                json: TableTests.table(names.map { #"{"api":"https://m.example.com/\#($0)"}"# }.joined(separator: ",")))
            loader.prefetch(requests.requests(for: Fixture.url), for: page)
            let delays = names.map { _ in (0..<3).map { _ in Int.random(in: 0..<60, using: &generator) } }

            // For each name, one request is cancelled at some time while it waits or reads. A second request is not
            // cancelled.
            let results = try await withThrowingTaskGroup(of: (String, Bool, Bool, Data).self) { group in
                for (name, delays) in zip(names, delays) {
                    group.addTask {
                        let url = "https://m.example.com/\(name)"
                        for _ in 0..<delays[0] { await Task.yield() }
                        let request = try Self.own(url, page)
                        let hasHead = Mutex(false)
                        let first = Task {
                            let response = try await loader.load(request)
                            hasHead.withLock { $0 = true }
                            return try await response?.body.collect(upTo: 1_000)
                        }
                        for _ in 0..<delays[1] { await Task.yield() }
                        if delays[2] % 2 == 0 { first.cancel() }
                        if let body = try? await first.value { return (url, true, true, body) }
                        let second = try #require(try await loader.load(request))
                        let isAhead = second.provenance.source == .prefetch
                        let body = try await second.body.collect(upTo: 1_000)
                        return (url, false, isAhead || hasHead.withLock { $0 }, body)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (url, _, wasHandedOver, body) in results {
                let count = origin.count(url)
                #expect((1...count).contains { Origin.text(url, $0) == body }, "an incomplete response")
                if !url.hasSuffix("fails"), !wasHandedOver {
                    #expect(Bool(false), "continued alone without cause: \(url), \(count) requests")
                }
                // The origin may receive the prefetch request, a request after its failure, and a request after the
                // page released a response that it was reading.
                #expect(count <= (url.hasSuffix("fails") ? 3 : 2), "\(count) requests for \(url)")
            }
            let counters = loader.counters
            #expect(counters.started == 4)
            loader.removeAll()
            let ends = loader.counters
            #expect(ends.started == ends.hits + ends.joins + ends.wasted + ends.failures + ends.abandoned)
            #expect(loader.waitingCount == 0)
        }
    }

    private static func own(_ url: String, _ page: PageReference) throws -> ResourceRequest {
        let head = try #require(HTTPRequest(urlText: url, headerFields: [.cookie: "user=1"]))
        return ResourceRequest(head, page: PageAttribution(page, confidence: .exact))
    }

    @Test("If many pages request one response at once, one gets it, and the others send their own requests")
    func crowd() async throws {
        for round in 0..<200 {
            let origin = Origin(failing: 0)
            let loader = PrefetchLoader(
                next: origin, completing: FixedFields(fields: [.cookie: "user=1"]), clock: ManualClock())
            let page = PageReference(id: PageID(rawValue: 1), documentURL: Fixture.url)
            let url = "https://m.example.com/a"
            let table = try PrefetchTable(json: TableTests.table(#"{"api":"\#(url)"}"#))
            loader.prefetch(table.requests(for: Fixture.url), for: page)
            let answers = try await withThrowingTaskGroup(of: (Bool, Data).self) { group in
                for index in 0..<8 {
                    group.addTask {
                        for _ in 0..<(round * index % 13) { await Task.yield() }
                        let response = try #require(try await loader.load(Self.own(url, page)))
                        return (response.provenance.source == .prefetch, try await response.body.collect(upTo: 1_000))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.0 } == 1)
            #expect(Set(answers.map(\.1)) == Set((1...8).map { Origin.text(url, $0) }))
            #expect(origin.count(url) == 8)
        }
    }
}
