// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How far something came that is started when it is first asked for, and again after it was lost.
///
/// Starts are numbered: whoever waited for one speaks of that one alone, however late it comes.
struct Startup<Value: Sendable>: Sendable {
    enum Phase: Sendable {
        /// Not started, or lost.
        case idle
        /// Several may wait for one start.
        case starting(Task<Value, any Error>)
        case ready(Value)
        /// For good.
        case ended
    }

    private(set) var phase: Phase
    /// The number of the latest start; 0 before the first.
    private(set) var number = 0

    init(_ phase: Phase) {
        self.phase = phase
    }

    /// Begins to start where that has not begun.
    /// - Parameter start: is given the number of its start.
    mutating func begin(_ start: (Int) -> Task<Value, any Error>) {
        guard case .idle = phase else { return }
        number += 1
        phase = .starting(start(number))
    }

    /// Notes how a start ended. Of a start that is not the one under way this changes nothing.
    mutating func finish(_ number: Int, _ result: Result<Value, any Error>) {
        guard case .starting = phase, number == self.number else { return }
        if case .success(let value) = result { phase = .ready(value) } else { phase = .idle }
    }

    /// Notes that what a start made is gone.
    mutating func lose(_ number: Int) {
        guard number == self.number else { return }
        switch phase {
        case .starting, .ready: phase = .idle
        case .idle, .ended: break
        }
    }

    /// Ends it.
    /// - Returns: how far it came.
    mutating func end() -> Phase {
        defer { phase = .ended }
        return phase
    }
}
