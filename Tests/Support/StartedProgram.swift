// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
internal import Subprocess

/// A program that runs until it is signalled or its owner is released.
public final class StartedProgram: Sendable {
    /// The first line on standard output without its line break, or `nil` if the program ended without output.
    public let firstLine: String?
    private let signals: AsyncStream<Signal>.Continuation
    /// The task of the program, which outlives the call that starts it and returns the exit status.
    private let run: Task<Int32, any Error>

    /// Starts the program.
    /// - Throws: An error if the program cannot be started.
    init(_ configuration: Configuration) async throws {
        let (asked, signals) = AsyncStream.makeStream(of: Signal.self)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let run = Task {
            defer { line.finish() }
            let result = try await Subprocess.run(configuration, input: .none, output: .sequence, error: .discarded) {
                execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { for await signal in asked { try? execution.send(signal: signal) } }
                    // The output is read to its end, so that the program can always write.
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
            // The program has ended or failed to start.
            _ = try await run.value
            return nil
        } onCancel: {
            run.cancel()
        }
    }

    deinit {
        run.cancel()
    }

    /// Sends a signal and waits until the program ends.
    /// - Returns: The exit status, or the negative number of the signal that ended the program.
    public func end(by signal: Int32) async -> Int32? {
        signals.yield(Signal(rawValue: signal))
        return await withTaskCancellationHandler {
            try? await run.value
        } onCancel: {
            run.cancel()
        }
    }
}
