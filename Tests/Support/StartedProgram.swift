// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
internal import Subprocess

/// A program that goes on until it is told to end, or its owner goes.
public final class StartedProgram: Sendable {
    /// What it said first on standard output, without the line's end; `nil` where it ended without a word.
    public let firstLine: String?
    private let signals: AsyncStream<Signal>.Continuation
    /// A task of its own, since it outlasts the call that starts it: ends with the program, whose status it returns.
    private let run: Task<Int32, any Error>

    /// - Throws: where it cannot be started.
    init(_ configuration: Configuration) async throws {
        let (asked, signals) = AsyncStream.makeStream(of: Signal.self)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let run = Task {
            defer { line.finish() }
            let result = try await Subprocess.run(configuration, input: .none, output: .sequence, error: .discarded) {
                execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { for await signal in asked { try? execution.send(signal: signal) } }
                    // To its end, so that it can always write on.
                    for try await text in execution.standardOutput.strings() { line.yield(text) }
                    group.cancelAll()
                }
            }
            return result.terminationStatus.number
        }
        self.run = run
        self.signals = signals
        firstLine = try await withTaskCancellationHandler {
            for await text in lines { return text }
            // It ended, or it never began.
            _ = try await run.value
            return nil
        } onCancel: {
            run.cancel()
        }
    }

    deinit {
        run.cancel()
    }

    /// Sends it a signal and waits for its end.
    /// - Returns: its exit status; a signal that ended it, as a negative number.
    public func end(by signal: Int32) async -> Int32? {
        signals.yield(Signal(rawValue: signal))
        return await withTaskCancellationHandler {
            try? await run.value
        } onCancel: {
            run.cancel()
        }
    }
}
