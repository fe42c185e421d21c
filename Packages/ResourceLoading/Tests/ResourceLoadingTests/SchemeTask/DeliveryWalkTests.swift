// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// Every answer of up to six pieces, stopped at every place: before it starts, while it is asked for, and inside of each
/// call that the engine hears.
@MainActor
@Suite("Walk through all deliveries", .timeLimit(.minutes(3)))
struct DeliveryWalkTests {
    /// How an answer ends.
    enum Ending: CaseIterable {
        /// A whole body, handed over in one step.
        case whole
        case finish
        case fail
        /// The source breaks off without an answer.
        case noAnswer
        /// The engine refuses the head.
        case refusedHead
    }

    /// Notes what it hears in the letters of `LegalOrder`, and stops the task inside of one call.
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
            // One call, which is response, data and finish in one.
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
        "What the engine hears is a legal order, and nothing of it comes after the stop", arguments: Ending.allCases,
        [true, false])
    func walk(ending: Ending, isAtHand: Bool) async {
        var order = LegalOrder()
        var stops = 0
        for pieces in 0...6 {
            // −1: before the start; 0: right after it; then inside of each call; the last: never.
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
                    // The call in which the stop arrived is the last one.
                    stops += 1
                    let call =
                        stopsInCall > 0 && ending != .whole ? String(engine.calls.prefix(stopsInCall)) : engine.calls
                    #expect(engine.calls == before && engine.calls == call, "\(place)")
                }
                // An answer that is at hand is delivered before the start returns.
                if stopsInCall < (isAtHand ? 0 : 1) { #expect(engine.calls.isEmpty, "\(place)") }
                // Who was not stopped in time has a whole answer or is told of the failure.
                if engine.callsAtStop == nil { #expect(isComplete, "\(place)") }
                if case .stopped? = received.first { #expect(!isComplete, "\(place)") }
            }
        }
        #expect(stops >= 14)
    }

    @Test("An answer that is there is delivered in one step, unless it was stopped before", arguments: [true, false])
    func atOnce(refusesHead: Bool) throws {
        // −1: before; 3: inside of the call; the last: never.
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

    @Test("A stop from another thread: when it has returned, the engine hears nothing more", arguments: 0..<50)
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
