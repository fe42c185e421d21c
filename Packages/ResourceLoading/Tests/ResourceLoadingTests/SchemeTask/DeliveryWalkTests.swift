// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// Tests that stop every response of up to six chunks at every point: before the start, during the request, and inside
/// each call to the engine.
@MainActor
@Suite("Exhaustive delivery sequences", .timeLimit(.minutes(3)))
struct DeliveryWalkTests {
    /// The end of a response.
    enum Ending: CaseIterable {
        /// A whole body, delivered in one call.
        case whole
        case finish
        case fail
        /// The source fails without a response.
        case noAnswer
        /// The engine refuses the head.
        case refusedHead
    }

    /// A sink that records its calls in the letters of `LegalOrder`, and stops the task inside one call.
    private final class Engine: SchemeTaskSink {
        private(set) var calls = ""
        private(set) var callsAtStop: String?
        let refusesHead: Bool
        let stopsInCall: Int
        var delivery: SchemeTaskDelivery?

        init(refusesHead: Bool, stopsInCall: Int) {
            self.refusesHead = refusesHead
            self.stopsInCall = stopsInCall
        }

        func stop() {
            callsAtStop = callsAtStop ?? calls
            delivery?.stop()
        }

        private func receive(_ letters: String) {
            calls += letters
            if calls.utf8.count == stopsInCall { stop() }
        }

        func receive(_ head: HTTPResponse, length: Int64?) throws {
            if refusesHead { throw ResourceError(.io, "no socket") }
            receive("p")
        }

        func receive(_ head: HTTPResponse, whole body: WholeBody) throws {
            if refusesHead { throw ResourceError(.io, "no socket") }
            // One call that stands for response, data and finish.
            calls += "pd"
            receive("f")
        }

        func receive(_ data: Data) async throws { receive("d") }
        func finish() { receive("f") }
        func fail(_ error: ResourceError) { receive("x") }
    }

    private nonisolated func answer(_ pieces: Int, _ ending: Ending) throws -> ResourceResponse {
        if ending == .noAnswer { throw ResourceError(.cannotConnect, "none") }
        let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
        for _ in 0..<pieces { feed.yield(Data("x".utf8)) }
        feed.finish(throwing: ending == .fail ? ResourceError(.connectionLost, "cut") : nil)
        let body: ResourceBody =
            ending == .whole ? .bytes(Data(count: pieces)) : .stream(ByteStream(stream))
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: body, provenance: Provenance(.network, reason: ""))
    }

    @Test(
        "The engine receives a legal order of calls, and none after the stop", arguments: Ending.allCases,
        [true, false])
    func walk(ending: Ending, isAtHand: Bool) async {
        var order = LegalOrder()
        var stops = 0
        for pieces in 0...6 {
            // The point of the stop. −1: before the start; 0: right after it; then: inside each call; the last value:
            // never.
            for stopsInCall in -1...(pieces + 4) {
                let engine = Engine(refusesHead: ending == .refusedHead, stopsInCall: stopsInCall)
                let delivery = SchemeTaskDelivery(to: engine)
                engine.delivery = delivery
                defer { engine.delivery = nil }
                let (outcomes, outcome) = AsyncStream<SchemeTaskDelivery.Outcome>.makeStream()
                if stopsInCall == -1 { engine.stop() }
                delivery.start(
                    answer: {
                        if !isAtHand { await Task.yield() }
                        return try answer(pieces, ending)
                    },
                    completion: {
                        outcome.yield($0)
                        outcome.finish()
                    })
                if stopsInCall == 0 { engine.stop() }
                if stopsInCall == -1 { outcome.finish() }
                var received: [SchemeTaskDelivery.Outcome] = []
                for await outcome in outcomes { received.append(outcome) }
                let place = "\(ending), \(pieces) pieces, stopped in call \(stopsInCall): \(engine.calls)"
                let isLegal = order.allows("s" + engine.calls)
                let isComplete = order.isComplete("s" + engine.calls)
                #expect(isLegal, "\(place)")
                #expect(received.count == (stopsInCall == -1 ? 0 : 1), "\(place)")
                if let before = engine.callsAtStop {
                    // The call during which the stop arrived is the last one.
                    stops += 1
                    let call =
                        stopsInCall > 0 && ending != .whole ? String(engine.calls.prefix(stopsInCall)) : engine.calls
                    #expect(engine.calls == before && engine.calls == call, "\(place)")
                }
                // A response that is available immediately is delivered before `start` returns.
                if stopsInCall < (isAtHand ? 0 : 1) { #expect(engine.calls.isEmpty, "\(place)") }
                // A task that was not stopped in time has received a whole response or a failure.
                if engine.callsAtStop == nil { #expect(isComplete, "\(place)") }
                if case .stopped? = received.first { #expect(!isComplete, "\(place)") }
            }
        }
        #expect(stops >= 14)
    }

    @Test("An available response is delivered in one step if the task was not stopped", arguments: [true, false])
    func atOnce(refusesHead: Bool) throws {
        // The point of the stop. −1: before the call; 3: inside the call; the last value: never.
        for stopsInCall in [-1, 3, .max] {
            let engine = Engine(refusesHead: refusesHead, stopsInCall: stopsInCall)
            let delivery = SchemeTaskDelivery(to: engine)
            engine.delivery = delivery
            defer { engine.delivery = nil }
            if stopsInCall == -1 { engine.stop() }
            let outcome = delivery.deliver(HTTPResponse(status: .ok), .bytes(Data(count: 3)))
            let received = engine.calls
            switch outcome {
            case .stopped(let bytes): #expect(stopsInCall == -1 && received.isEmpty && bytes == 0)
            case .finished(let bytes): #expect(!refusesHead && stopsInCall != -1 && received == "pdf" && bytes == 3)
            case .failed(let error, let bytes):
                #expect(refusesHead && stopsInCall != -1 && received == "x" && error.code == .io && bytes == 0)
            }
            delivery.stop()
            delivery.start(answer: { try answer(1, .whole) })
            #expect(engine.calls == received)
        }
    }

    @Test("After a stop from another thread has returned, the engine receives nothing more", arguments: 0..<50)
    func otherThread(round: Int) async {
        let engine = Engine(refusesHead: false, stopsInCall: .max)
        let delivery = SchemeTaskDelivery(to: engine)
        let (outcomes, outcome) = AsyncStream<Void>.makeStream()
        delivery.start(answer: { try answer(round % 7, .finish) }, completion: { _ in outcome.finish() })
        await Task.detached {
            for _ in 0..<(round % 10) { await Task.yield() }
            await delivery.stop()
        }.value
        let received = engine.calls
        for await _ in outcomes {}
        #expect(engine.calls == received)
        var order = LegalOrder()
        let isLegal = order.allows("s" + received)
        #expect(isLegal)
    }
}
