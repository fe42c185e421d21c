// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// Tests of stops at every point of a delivery.
@MainActor
@Suite("Stops", .timeLimit(.minutes(1)))
struct StopTests {
    /// A sink that stops its own task inside a chosen call.
    private final class StoppingSink: SchemeTaskSink {
        private(set) var received: [String] = []
        var stopsAt = ""
        var delivery: SchemeTaskDelivery?

        private func receive(_ call: String) {
            received.append(call)
            if call == stopsAt { delivery?.stop() }
        }

        func receive(_ head: HTTPResponse, length: Int64?) { receive("head") }
        func receive(_ head: HTTPResponse, whole body: WholeBody) { receive("whole") }
        func receive(_ data: Data) async throws { receive("data") }
        func finish() { receive("finish") }
        func fail(_ error: ResourceError) { receive("fail") }
    }

    private let sink = StoppingSink()

    /// Delivers a response, and returns the outcomes and the number of calls of `observe`.
    private func deliver(
        _ answer: @escaping @Sendable () async throws -> ResourceResponse, stopAt place: String
    ) async -> (outcomes: [String], observed: Int) {
        let (outcomes, outcome) = AsyncStream<String>.makeStream()
        let delivery = SchemeTaskDelivery(to: sink)
        sink.delivery = delivery
        sink.stopsAt = place
        var observed = 0
        delivery.start(
            answer: answer,
            observe: { _ in
                observed += 1
                if place == "observe" { delivery.stop() }
            },
            completion: {
                switch $0 {
                case .finished(let bytes): outcome.yield("finished \(bytes)")
                case .failed(let error, let bytes): outcome.yield("failed \(error.code) \(bytes)")
                case .stopped(let bytes): outcome.yield("stopped \(bytes)")
                }
                outcome.finish()
            })
        if place == "start" { delivery.stop() }
        var all: [String] = []
        for await outcome in outcomes { all.append(outcome) }
        sink.delivery = nil
        return (all, observed)
    }

    private nonisolated func response(_ body: ResourceBody) -> ResourceResponse {
        ResourceResponse(head: HTTPResponse(status: .ok), body: body, provenance: Provenance(.network, reason: "test"))
    }

    private nonisolated func stream(_ chunks: Int, error: ResourceError? = nil) -> ResourceBody {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for _ in 0..<chunks { continuation.yield(Data("x".utf8)) }
        continuation.finish(throwing: error)
        return .stream(ByteStream(stream))
    }

    @Test(
        "A stop inside each call to the engine",
        arguments: [
            ("start", [], ["stopped 0"], 0), ("observe", [], ["stopped 0"], 1), ("head", ["head"], ["stopped 0"], 1),
            ("data", ["head", "data"], ["stopped 1"], 1),
            // The whole response was delivered before, so a stop has no effect.
            ("finish", ["head", "data", "data", "finish"], ["finished 2"], 1),
            ("never", ["head", "data", "data", "finish"], ["finished 2"], 1),
        ])
    func streams(place: String, received: [String], outcomes: [String], observed: Int) async {
        let result = await deliver({ response(stream(2)) }, stopAt: place)
        #expect(sink.received == received)
        #expect(result.outcomes == outcomes)
        #expect(result.observed == observed)
    }

    @Test(
        "A stop inside the calls for a whole body",
        arguments: [
            ("observe", [], "stopped 0"), ("whole", ["whole"], "finished 3"), ("never", ["whole"], "finished 3"),
        ])
    func whole(place: String, received: [String], outcome: String) async {
        let result = await deliver({ response(.bytes(Data("abc".utf8))) }, stopAt: place)
        #expect(sink.received == received)
        #expect(result.outcomes == [outcome])
    }

    @Test(
        "A stop inside the failure call has no effect, and an earlier stop prevents the call",
        arguments: [
            ("fail", ["head", "data", "fail"], "failed connection-lost 1"), ("data", ["head", "data"], "stopped 1"),
            ("start", [], "stopped 0"),
        ])
    func failures(place: String, received: [String], outcome: String) async {
        let result = await deliver({ response(stream(1, error: ResourceError(.connectionLost, "cut"))) }, stopAt: place)
        #expect(sink.received == received)
        #expect(result.outcomes == [outcome])
    }

    @Test("An empty body is delivered as a whole body")
    func empty() async {
        #expect(await deliver({ response(.empty) }, stopAt: "never").outcomes == ["finished 0"])
        #expect(sink.received == ["whole"])
    }

    @Test("A task that was stopped before its start never starts, and a second start has no effect")
    func starts() async {
        let delivery = SchemeTaskDelivery(to: sink)
        delivery.stop()
        delivery.start(
            answer: {
                Issue.record("requested")
                throw ResourceError(.internal, "requested")
            }, completion: { _ in Issue.record("completed") })
        let (outcomes, outcome) = AsyncStream<Void>.makeStream()
        let second = SchemeTaskDelivery(to: sink)
        let answer = response(.empty)
        second.start(answer: { answer }, completion: { _ in outcome.finish() })
        second.start(
            answer: {
                Issue.record("requested twice")
                return answer
            }, completion: { _ in Issue.record("completed twice") })
        for await _ in outcomes {}
        #expect(sink.received == ["whole"])
    }

    @Test("A refusal fails the task with its reason")
    func refusal() async throws {
        let recording = RecordingSink()
        _ = SchemeTaskDelivery.refusal(to: recording, "closed")
        while recording.calls.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(recording.calls == [.fail("internal")])
    }
}
