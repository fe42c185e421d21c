// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
@_spi(Facade) import ResourceLoading
import Testing

@MainActor
@Suite("Delivery of a response", .timeLimit(.minutes(1)))
struct SchemeTaskDeliveryTests {
    private let sink = RecordingSink()
    private let outcomes: AsyncStream<SchemeTaskDelivery.Outcome>
    private let outcome: AsyncStream<SchemeTaskDelivery.Outcome>.Continuation

    init() {
        (outcomes, outcome) = AsyncStream.makeStream()
    }

    private func response(_ body: ResourceBody) -> ResourceResponse {
        ResourceResponse(head: HTTPResponse(status: .ok), body: body, provenance: Provenance(.network, reason: "test"))
    }

    /// Returns a body that the test feeds, and a stream that reports its end.
    private func feed() -> (
        body: ResourceBody, feed: AsyncThrowingStream<Data, any Error>.Continuation, ends: AsyncStream<Void>
    ) {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        continuation.onTermination = { _ in end.yield() }
        return (.stream(ByteStream(stream)), continuation, ends)
    }

    private func firstOutcome() async throws -> SchemeTaskDelivery.Outcome {
        var iterator = outcomes.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test("A whole body is delivered in one step")
    func whole() async throws {
        let delivery = SchemeTaskDelivery(to: sink)
        let answer = response(.bytes(Data("four".utf8)))
        delivery.start(answer: { answer }, completion: { [outcome] in outcome.yield($0) })
        guard case .finished(bytes: 4) = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(sink.calls == [.whole(200, 4)])
    }

    @Test("The chunks of a stream arrive in order, followed by the end")
    func stream() async throws {
        let delivery = SchemeTaskDelivery(to: sink)
        let source = feed()
        let answer = response(source.body)
        delivery.start(answer: { answer }, completion: { [outcome] in outcome.yield($0) })
        for text in ["a", "", "b", "c"] { source.feed.yield(Data(text.utf8)) }
        source.feed.finish()
        guard case .finished(bytes: 3) = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(sink.calls == [.head(200), .data("a"), .data("b"), .data("c"), .finish])
    }

    @Test("After a stop inside a delivery nothing is delivered, and the source is ended")
    func stopInsideDelivery() async throws {
        let delivery = SchemeTaskDelivery(to: sink)
        let source = feed()
        let answer = response(source.body)
        sink.onCall = { call in if call == .data("b") { delivery.stop() } }
        delivery.start(answer: { answer }, completion: { [outcome] in outcome.yield($0) })
        for text in ["a", "b", "c"] { source.feed.yield(Data(text.utf8)) }
        guard case .stopped = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(sink.calls == [.head(200), .data("a"), .data("b")])
        for await _ in source.ends { break }
    }

    @Test("A stop before the response cancels the request, and the engine receives nothing")
    func stopBeforeAnswer() async throws {
        let delivery = SchemeTaskDelivery(to: sink)
        let (asks, asked) = AsyncStream<Void>.makeStream()
        delivery.start(
            answer: {
                asked.yield()
                // Ends only by cancellation.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
                throw ResourceError(.internal, "was not cancelled")
            }, completion: { [outcome] in outcome.yield($0) })
        for await _ in asks { break }
        delivery.stop()
        guard case .stopped(bytes: 0) = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(sink.calls.isEmpty)
    }

    @Test("An error before or after the head fails the task once")
    func errors() async throws {
        let early = SchemeTaskDelivery(to: sink)
        early.start(answer: { throw ResourceError(.unknownHost, "?") }, completion: { [outcome] in outcome.yield($0) })
        guard case .failed(let error, bytes: 0) = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(error.code == .unknownHost && sink.calls == [.fail("unknown-host")])

        let second = RecordingSink()
        let late = SchemeTaskDelivery(to: second)
        let source = feed()
        let answer = response(source.body)
        let (ends, end) = AsyncStream<SchemeTaskDelivery.Outcome>.makeStream()
        late.start(answer: { answer }, completion: { end.yield($0) })
        source.feed.yield(Data("a".utf8))
        source.feed.finish(throwing: ResourceError(.connectionLost, "cut"))
        for await _ in ends { break }
        #expect(second.calls == [.head(200), .data("a"), .fail("connection-lost")])
    }

    @Test("A response that the sink refuses fails the task, and its source is ended", arguments: [true, false])
    func refusedHead(streams: Bool) async throws {
        sink.headError = ResourceError(.io, "no socket")
        let delivery = SchemeTaskDelivery(to: sink)
        let source = feed()
        let answer = response(streams ? source.body : .bytes(Data("four".utf8)))
        delivery.start(answer: { answer }, completion: { [outcome] in outcome.yield($0) })
        guard case .failed(let error, bytes: 0) = try await firstOutcome() else {
            Issue.record("unexpected outcome")
            return
        }
        #expect(error.code == .io && sink.calls == [.fail("io")])
    }

    @Test("Any order of data, errors and stops delivers a legal sequence of calls", arguments: 0..<200)
    func interleaving(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let delivery = SchemeTaskDelivery(to: sink)
        let source = feed()
        let answer = response(source.body)
        let stopAfter = Int.random(in: 0...6, using: &random)
        var deliveries = 0
        sink.onCall = { _ in
            deliveries += 1
            if deliveries == stopAfter { delivery.stop() }
            for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
        }
        delivery.start(answer: { answer }, completion: { [outcome] in outcome.yield($0) })
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            source.feed.yield(Data("x".utf8))
            for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
        }
        switch Int.random(in: 0...2, using: &random) {
        case 0: source.feed.finish()
        case 1: source.feed.finish(throwing: ResourceError(.connectionLost, "cut"))
        default: delivery.stop()
        }
        let result = try await firstOutcome()
        var life = ResponseDeliveryState()
        #expect(life.accept(.start) == .deliver)
        for call in sink.calls {
            let event: ResponseDeliveryState.Event =
                switch call {
                case .head, .whole: .response
                case .data: .data
                case .finish: .finish
                case .fail: .fail
                }
            #expect(life.accept(event) == .deliver, "\(sink.calls)")
        }
        if case .stopped = result { #expect(!life.isOver) } else { #expect(life.isOver) }
        source.feed.finish()
    }
}
