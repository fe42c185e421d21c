// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// How far this process grew, as Linux counts it.
struct MemoryPeak: Sendable {
    private let before: Double

    /// Starts anew; `nil` where the system does not count.
    init?() {
        // 5 sets the high-water mark back to what is in use now (proc(5), clear_refs).
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs"),
            (try? file.write(contentsOf: Data("5".utf8))) != nil, let mark = Self.highWaterMark()
        else { return nil }
        before = mark
    }

    /// In MB, since the start.
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
