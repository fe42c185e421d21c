// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

extension Program {
    /// What a run at a terminal left behind.
    public struct TerminalOutcome: Sendable {
        /// The exit status, or minus the signal.
        public var status: Int32
        /// All that was written to standard error, which is a terminal.
        public var shown: String
    }

    /// Runs it with standard error at a pseudo terminal. Ends it when the test is cancelled, which its time limit does.
    /// - Parameter signal: called with all that was shown so far, each time that more is; the first signal that it
    ///   returns is sent.
    public func runAtTerminal(
        _ arguments: [String], in folder: String, environment: [String: String] = ["TERM": "xterm"],
        signal: @escaping @Sendable (String) -> Int32? = { _ in nil }
    ) async throws -> TerminalOutcome {
        var terminal: CInt = -1
        var far: CInt = -1
        try #require(openpty(&terminal, &far, nil, nil, nil) == 0)
        let near = terminal
        defer { close(near) }
        // Else the process holds it too, and reading would not end.
        try #require(fcntl(near, F_SETFD, FD_CLOEXEC) == 0)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: far, closeOnDealloc: false)
        let ended = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let isExit = process.terminationReason == .exit
            ended.continuation.yield(isExit ? process.terminationStatus : -process.terminationStatus)
            ended.continuation.finish()
        }
        do {
            try process.run()
        } catch {
            close(far)
            throw error
        }
        // Else reading would not end with the process.
        close(far)
        let number = process.processIdentifier
        return try await withTaskCancellationHandler {
            // On a thread of its own, since reading blocks.
            let shown = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Self.read(near) { shown in signal(shown).map { kill(number, $0) } != nil })
                }
            }
            for await status in ended.stream { return TerminalOutcome(status: status, shown: shown) }
            throw CancellationError()
        } onCancel: {
            kill(number, SIGKILL)
        }
    }

    /// Reads until the other side is closed.
    /// - Parameter step: called after each read until it returns true.
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
