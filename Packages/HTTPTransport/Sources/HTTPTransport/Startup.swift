// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state of a value that is started on its first use, and started again after it is lost.
///
/// Starts are numbered, so that a late result of an earlier start is ignored.
package struct Startup<Value: Sendable>: Sendable {
    package enum Phase: Sendable {
        /// The value has not been started, or is lost.
        case idle
        /// A start is in progress. Several callers may wait for it.
        case starting(Task<Value, any Error>)
        /// The value is available.
        case ready(Value)
        /// The value has ended permanently.
        case ended
    }

    package private(set) var phase: Phase
    /// The number of the latest start; 0 before the first.
    package private(set) var number = 0

    package init(_ phase: Phase) {
        self.phase = phase
    }

    /// Starts the value if the phase is ``Phase/idle``.
    /// - Parameters:
    ///   - last: A number that the start must exceed; 0 by default.
    ///   - start: A closure that receives the number of the start and returns its task.
    package mutating func begin(after last: Int = 0, _ start: (Int) -> Task<Value, any Error>) {
        guard case .idle = phase else { return }
        number = max(number, last) + 1
        phase = .starting(start(number))
    }

    /// Records the result of a start. Does nothing if the number is not that of the start in progress.
    package mutating func finish(_ number: Int, _ result: Result<Value, any Error>) {
        guard case .starting = phase, number == self.number else { return }
        if case .success(let value) = result { phase = .ready(value) } else { phase = .idle }
    }

    /// Records that the value of a start has been lost.
    package mutating func lose(_ number: Int) {
        guard number == self.number else { return }
        switch phase {
        case .starting, .ready: phase = .idle
        case .idle, .ended: break
        }
    }

    /// Ends the value permanently.
    /// - Returns: The phase before the end.
    package mutating func end() -> Phase {
        defer { phase = .ended }
        return phase
    }
}
