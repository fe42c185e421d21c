// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Testing
import WebEngine
import WebEngineTesting

@MainActor
@Suite("View loads", .timeLimit(.minutes(1)))
struct ViewLoadTests {
    private let view = FakeView(id: ViewID(rawValue: 1))

    @Test("A load finishes, fails, or ends with its process")
    func ends() async throws {
        let load = ViewLoad(of: view)
        let waiting = Task { try await load.finished(within: .seconds(30)) }
        for signal in [ViewSignal.started(url: "a"), .committed(url: "a"), .finished(url: "a")] {
            view.onSignal?(signal)
        }
        try await waiting.value
        view.onSignal?(.started(url: "b"))
        view.onSignal?(.failed(url: "b", error: EngineError(.unknownHost, "?")))
        // The engine also reports the end of a failed load.
        view.onSignal?(.finished(url: "b"))
        await #expect { try await load.finished(within: .seconds(30)) } throws: {
            ($0 as? EngineError)?.code == .unknownHost
        }
        view.onSignal?(.processEnded(reason: "crash"))
        await #expect { try await load.finished(within: .seconds(30)) } throws: {
            ($0 as? EngineError)?.code == .processEnded
        }
    }

    @Test("A load that is stopped has not failed, and the document stays", arguments: [true, false])
    func stopped(isCommitted: Bool) async throws {
        let load = ViewLoad(of: view)
        for signal in [ViewSignal.started(url: "a"), .committed(url: "a"), .finished(url: "a"), .started(url: "b")] {
            view.onSignal?(signal)
        }
        if isCommitted { view.onSignal?(.committed(url: "b")) }
        let waiting = Task { try await load.finished(within: .seconds(30)) }
        view.onSignal?(.stopped(url: "b"))
        try await waiting.value
        // An engine may also report the end of the load.
        view.onSignal?(.finished(url: isCommitted ? "b" : "a"))
        try await load.finished(within: .seconds(30))
        // A stop does not hide a failure.
        view.onSignal?(.failed(url: "b", error: EngineError(.unknownHost, "?")))
        view.onSignal?(.stopped(url: "b"))
        await #expect { try await load.finished(within: .seconds(30)) } throws: {
            ($0 as? EngineError)?.code == .unknownHost
        }
    }

    @Test("A load that replaces a stopped one is awaited, although the engine reports it later", arguments: [1, 2])
    func replaced(round: Int) async throws {
        let load = ViewLoad(of: view)
        for signal in [ViewSignal.started(url: "a"), .committed(url: "a")] { view.onSignal?(signal) }
        // The engine reports the start of the next load before the page answers to the first or second script.
        view.onEvaluate = { [view] _ in
            if view.evaluatedScripts.count == round { view.onSignal?(.started(url: "b")) }
        }
        var isOver = false
        let waiting = Task {
            try await load.finished(within: .seconds(30))
            isOver = true
        }
        for signal in [ViewSignal.stopped(url: "a"), .finished(url: "a")] { view.onSignal?(signal) }
        while view.evaluatedScripts.count < round {
            try Task.checkCancellation()
            await Task.yield()
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isOver)
        for signal in [ViewSignal.committed(url: "b"), .finished(url: "b")] { view.onSignal?(signal) }
        try await waiting.value
        #expect(isOver)
    }

    @Test("A stopped load has ended if its page cannot run scripts, or does not answer within a second")
    func stoppedWithoutScripts() async throws {
        let load = ViewLoad(of: view)
        view.evaluation = { throw EngineError(.processEnded, "?") }
        for signal in [ViewSignal.started(url: "a"), .stopped(url: "a")] { view.onSignal?(signal) }
        try await load.finished(within: .seconds(30))
        let (answers, answer) = AsyncStream<Void>.makeStream()
        view.evaluation = {
            for await _ in answers { break }
            return "null"
        }
        for signal in [ViewSignal.started(url: "b"), .stopped(url: "b")] { view.onSignal?(signal) }
        let clock = ManualClock()
        let waiting = Task { try await load.finished(within: .seconds(10), clock: clock) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(1))
        try await waiting.value
        answer.finish()
    }

    @Test("A load that never ends times out")
    func limit() async throws {
        let load = ViewLoad(of: view)
        let clock = ManualClock()
        let waiting = Task { try await load.finished(within: .seconds(10), clock: clock) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        await #expect { try await waiting.value } throws: { ($0 as? EngineError)?.code == .timedOut }
    }

    @Test("All waiting tasks receive the end of the load, and a cancelled task does not affect the others")
    func several() async throws {
        let load = ViewLoad(of: view)
        let clock = ManualClock()
        let impatient = Task { try await load.finished(within: .seconds(1), clock: clock) }
        let patient = (0..<3).map { _ in Task { try await load.finished(within: .seconds(10), clock: clock) } }
        let dropped = Task { try await load.finished(within: .seconds(10), clock: clock) }
        await clock.sleepers(atLeast: 5)
        dropped.cancel()
        await #expect(throws: CancellationError.self) { try await dropped.value }
        clock.advance(by: .seconds(1))
        await #expect { try await impatient.value } throws: { ($0 as? EngineError)?.code == .timedOut }
        view.onSignal?(.committed(url: "a"))
        #expect(clock.sleeperCount == 3)
        view.onSignal?(.finished(url: "a"))
        for waiter in patient { try await waiter.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("An earlier end is returned at once, and the time-out error contains the limit")
    func atOnce() async throws {
        let load = ViewLoad(of: view)
        let clock = ManualClock()
        view.onSignal?(.finished(url: "a"))
        // The clock does not advance, so that only the end of the load can end the wait.
        try await load.finished(within: .seconds(1), clock: clock)
        view.onSignal?(.started(url: "b"))
        await #expect {
            try await load.finished(within: .zero, clock: clock)
        } throws: {
            let error = $0 as? EngineError
            return error?.code == .timedOut && error?.message.contains("limit 0") == true
        }
    }

    @Test("Observers receive every signal after the load has handled it")
    func observers() {
        let load = ViewLoad(of: view)
        var states: [String] = []
        load.observe { _ in states.append("\(load.state)") }
        view.onSignal?(.started(url: "a"))
        view.onSignal?(.committed(url: "a"))
        view.onSignal?(.resource(EngineResource(url: "b", status: nil, length: nil, failure: "x")))
        view.onSignal?(.finished(url: "a"))
        #expect(states == ["waiting", "committed", "committed", "finished"])
    }
}
