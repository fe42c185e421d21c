// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// Deliveries to an engine that accepts chunks slowly.
@MainActor
@Suite("Back-pressure", .timeLimit(.minutes(1)))
struct BackPressureTests {
    private let sink = HeldSink()
    private let source = PulledSource()
    private let outcomes: AsyncStream<SchemeTaskDelivery.Outcome>
    private let outcome: AsyncStream<SchemeTaskDelivery.Outcome>.Continuation

    init() {
        (outcomes, outcome) = AsyncStream.makeStream()
    }

    private func start(_ body: ResourceBody) -> SchemeTaskDelivery {
        let delivery = SchemeTaskDelivery(to: sink)
        let answer = ResourceResponse(
            head: HTTPResponse(status: .ok), body: body, provenance: Provenance(.network, reason: "test"))
        delivery.start(
            answer: { answer },
            completion: { [outcome] in
                outcome.yield($0)
                outcome.finish()
            })
        return delivery
    }

    /// Returns every outcome that the completion closure received.
    private func receivedOutcomes() async -> [String] {
        var all: [String] = []
        for await outcome in outcomes {
            switch outcome {
            case .finished(let bytes): all.append("finished \(bytes)")
            case .failed(let error, let bytes): all.append("failed \(error.code) \(bytes)")
            case .stopped(let bytes): all.append("stopped \(bytes)")
            }
        }
        return all
    }

    @Test("A response that is cancelled while the engine processes a chunk ends with a failure")
    func givenUp() async {
        let delivery = start(source.body(3))
        await sink.holds()
        delivery.cancel()
        // An engine whose wait was cancelled throws.
        sink.refuse()
        #expect(await receivedOutcomes() == ["failed cancelled 0"])
        #expect(sink.received == ["head ?", "1", "fail cancelled"])
    }

    @Test("A chunk is requested from the source only after the engine has accepted the previous chunk")
    func pulls() async {
        _ = start(source.body(3))
        for number in 1...3 {
            await sink.holds()
            #expect(source.pulled == number)
            sink.accept()
        }
        #expect(await receivedOutcomes() == ["finished 3"])
        #expect(sink.received == ["head ?", "1", "2", "3", "finish"])
        #expect(source.pulled == 4)
    }

    @Test("After a stop while the engine processes a chunk, nothing is delivered and the source is released")
    func stopWhileHeld() async {
        let delivery = start(source.body(3))
        await sink.holds()
        delivery.stop()
        delivery.stop()
        sink.accept()
        #expect(await receivedOutcomes() == ["stopped 1"])
        #expect(sink.received == ["head ?", "1"])
        for await _ in source.ends { break }
    }

    @Test("A stop while the source has no data cancels the source")
    func stopWhileWaiting() async throws {
        let delivery = start(source.body(1, thenWaits: true))
        await sink.holds()
        sink.accept()
        while source.pulled < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        delivery.stop()
        #expect(await receivedOutcomes() == ["stopped 1"])
        #expect(sink.received == ["head ?", "1"])
        for await _ in source.ends { break }
    }

    @Test("An engine that refuses a chunk has dropped the request and receives nothing more")
    func refused() async throws {
        _ = start(source.body(3, thenWaits: true))
        await sink.holds()
        sink.accept()
        while source.pulled < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        await sink.holds()
        sink.refuse()
        #expect(await receivedOutcomes() == ["stopped 1"])
        #expect(sink.received == ["head ?", "1", "2"])
        for await _ in source.ends { break }
    }
}
