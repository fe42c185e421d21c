// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Testing

@MainActor
@Suite("Following a load", .timeLimit(.minutes(1)))
struct ViewLoadTests {
    private let view = FakeView(id: ViewID(rawValue: 1))

    @Test("A load that finishes, one that fails, one whose process ends")
    func ends() async throws {
        let load = ViewLoad(of: view)
        let waiting = Task { try await load.finished(within: .seconds(30)) }
        for signal in [ViewSignal.started(url: "a"), .committed(url: "a"), .finished(url: "a")] {
            view.onSignal?(signal)
        }
        try await waiting.value
        view.onSignal?(.started(url: "b"))
        view.onSignal?(.failed(url: "b", error: EngineError(.unknownHost, "?")))
        // The engine reports the end of a failed load too.
        view.onSignal?(.finished(url: "b"))
        await #expect { try await load.finished(within: .seconds(30)) } throws: {
            ($0 as? EngineError)?.code == .unknownHost
        }
        view.onSignal?(.processEnded(reason: "crash"))
        await #expect { try await load.finished(within: .seconds(30)) } throws: {
            ($0 as? EngineError)?.code == .processEnded
        }
    }

    @Test("A load that never ends is given up after the limit")
    func limit() async throws {
        let load = ViewLoad(of: view)
        let clock = ManualClock()
        let waiting = Task { try await load.finished(within: .seconds(10), clock: clock) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        await #expect { try await waiting.value } throws: { ($0 as? EngineError)?.code == .timedOut }
    }
}
