// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
internal import Subprocess
internal import SystemPackage
import Testing

extension Program {
    /// The result of a run at a terminal.
    public struct TerminalOutcome: Sendable {
        /// The exit status, or the negative signal number.
        public var status: Int32
        /// The text that the program wrote to standard error, a terminal.
        public var shown: String
    }

    /// Runs the program with standard error at a pseudo terminal. Ends the program when the test is cancelled, for
    /// example by its time limit.
    /// - Parameter signal: A closure that is called after each output, with the complete text. The first signal that it
    ///   returns is sent to the program.
    public func runAtTerminal(
        _ arguments: [String], in folder: String, environment: [String: String] = ["TERM": "xterm"],
        signal: @escaping @Sendable (String) -> Int32? = { _ in nil }
    ) async throws -> TerminalOutcome {
        var (terminal, far): (CInt, CInt) = (-1, -1)
        try #require(openpty(&terminal, &far, nil, nil, nil) == 0)
        let near = terminal
        defer { close(near) }
        // The program starts when the reader is ready, because a short run could otherwise end before the reader
        // starts.
        let gate = try FileDescriptor.pipe()
        defer { try? gate.writeEnd.close() }
        let result = try await Subprocess.run(
            gated(arguments, configuration(arguments, in: folder, environment: environment.mapValues { $0 })),
            input: .fileDescriptor(gate.readEnd, closeAfterSpawningProcess: true), output: .discarded,
            // This process closes its copy of the descriptor. Otherwise reading would not end when the program ends.
            error: .fileDescriptor(FileDescriptor(rawValue: far), closeAfterSpawningProcess: true)
        ) { execution in
            // The reader blocks, so it has a thread of its own.
            await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                Thread.detachNewThread {
                    _ = try? gate.writeEnd.writeAll("\n".utf8)
                    let shown = Self.read(near) { shown in
                        guard let number = signal(shown) else { return false }
                        try? execution.send(signal: Signal(rawValue: number))
                        return true
                    }
                    continuation.resume(returning: shown)
                }
            }
        }
        return TerminalOutcome(status: result.terminationStatus.number, shown: result.closureResult)
    }

    /// Returns the configuration of a shell that waits for a line before it executes the program.
    private func gated(_ arguments: [String], _ configuration: Configuration) throws -> Configuration {
        var gated = configuration
        gated.executable = .path("/bin/sh")
        gated.arguments = Arguments(["-c", #"read -r _ && exec "$0" "$@" </dev/null"#, try path] + arguments)
        return gated
    }

    /// Reads until the other side is closed.
    /// - Parameter step: A closure that is called after each read until it returns `true`.
    private static func read(_ terminal: CInt, _ step: (String) -> Bool) -> String {
        var shown = Data()
        var isOver = false
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Foundation.read(terminal, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // Linux reports a closed other side as an I/O error.
            guard count > 0 else { return String(decoding: shown, as: UTF8.self) }
            shown.append(contentsOf: buffer[..<count])
            if !isOver { isOver = step(String(decoding: shown, as: UTF8.self)) }
        }
    }
}
