// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

/// A line on standard error that says how far long work has come; for people at a terminal, and for no one else.
///
/// Appears after a fifth of a second, is drawn ten times a second at most, and is wiped at the end. `Sendable`: may be
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

    /// - Returns: `nil` where standard error is no terminal, or one that cannot go back to the start of a line.
    public static func onTerminal(_ title: String) -> ProgressBar? {
        guard isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] ?? "dumb" != "dumb" else {
            return nil
        }
        return ProgressBar(title)
    }

    /// Shows how many bytes are done, and of how many where that is known.
    public func update(_ done: Int64, of total: Int64?) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard !state.isOver, now >= state.next else { return }
            state.next = now + .milliseconds(100)
            state.isShown = true
            Self.write("\r\(line(done, of: total))\u{1B}[K")
        }
    }

    /// Wipes the line. Nothing is drawn after it.
    public func finish() {
        state.withLock { state in
            if state.isShown, !state.isOver { Self.write("\r\u{1B}[K") }
            state.isOver = true
        }
    }

    /// At most 70 columns.
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
        // A terminal that is gone is not this line's affair.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
