// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// The memory of another process, in megabytes, as Linux tells it (`proc(5)`).
public struct ProcessMemory: Sendable {
    private let folder: String

    /// What went wrong, in a line.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The process whose command line has this in it, arguments being parted by spaces.
    public init(of command: String) throws {
        for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil {
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { continue }
            let words = String(decoding: line.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            if words.contains(command) {
                folder = "/proc/\(process)"
                return
            }
        }
        throw Failure(description: "no process \(command)")
    }

    /// What it has in memory now.
    public func current() throws -> Int { try value(of: "VmRSS") }

    /// The most that it had since it began, or since ``resetPeak()``.
    public func peak() throws -> Int { try value(of: "VmHWM") }

    /// Has the peak count from now on.
    public func resetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "\(folder)/clear_refs"))
    }

    private func value(of key: String) throws -> Int {
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        guard
            let kilobytes = line?.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first.flatMap({
                Int($0)
            })
        else { throw Failure(description: "no \(key) in \(folder)/status") }
        return kilobytes >> 10
    }
}
