// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

/// A progress line on standard error for interactive terminals.
///
/// The line appears after 0.2 seconds, is drawn at most ten times per second, and is erased at the end. It may be
/// updated from any thread.
public final class ProgressBar: Sendable {
    private struct State {
        var next: ContinuousClock.Instant
        var isShown = false
        var isOver = false
    }

    private let title: String
    private let state: Mutex<State>

    private init(_ title: String) {
        self.title = title
        state = Mutex(State(next: .now + .milliseconds(200)))
    }

    /// Returns a progress bar.
    /// - Returns: `nil` if standard error is not a terminal or cannot return to the start of a line.
    public static func onTerminal(_ title: String) -> ProgressBar? {
        guard isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] ?? "dumb" != "dumb" else {
            return nil
        }
        return ProgressBar(title)
    }

    /// Updates the number of completed bytes and, if known, the total.
    public func update(_ done: Int64, of total: Int64?) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard !state.isOver, now >= state.next else { return }
            state.next = now + .milliseconds(100)
            state.isShown = true
            Self.write("\r\(line(done, of: total))\u{1B}[K")
        }
    }

    /// Erases the line and stops drawing.
    public func finish() {
        state.withLock { state in
            if state.isShown, !state.isOver { Self.write("\r\u{1B}[K") }
            state.isOver = true
        }
    }

    /// Returns the line, at most 70 columns wide.
    private func line(_ done: Int64, of total: Int64?) -> String {
        guard let total, total > 0 else { return "\(title) \(Self.megabytes(done)) MB" }
        let part = Double(min(max(done, 0), total)) / Double(total)
        let filled = Int(part * 24)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 24 - filled)
        return "\(title) [\(bar)] \(Int(part * 100)) % of \(Self.megabytes(total)) MB"
    }

    private static func megabytes(_ bytes: Int64) -> String {
        "\(bytes / 1_000_000).\(bytes / 100_000 % 10)"
    }

    private static func write(_ text: String) {
        // A failed write to the terminal is ignored.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
