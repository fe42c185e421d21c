// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The growth of this process's peak memory, as Linux reports it.
struct MemoryPeak: Sendable {
    private let before: Double

    /// Resets the peak; `nil` if the system does not report it.
    init?() {
        // The value 5 resets the high-water mark to the current use (proc(5), clear_refs).
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs"),
            (try? file.write(contentsOf: Data("5".utf8))) != nil, let mark = Self.highWaterMark()
        else { return nil }
        before = mark
    }

    /// The growth in MB since the reset.
    var growth: Double? {
        Self.highWaterMark().map { $0 - before }
    }

    private static func highWaterMark() -> Double? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let match = status.firstMatch(of: /VmHWM:\s+(\d+) kB/), let kilobytes = Double(match.output.1)
        else { return nil }
        return kilobytes / 1_024
    }
}
