// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// The memory of another process in megabytes, as reported by Linux (`proc(5)`).
public struct ProcessMemory: Sendable {
    private let folder: String

    /// An error with a one-line description.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Finds the process whose command line, with arguments separated by spaces, contains the text.
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

    /// Returns the current resident memory.
    public func current() throws -> Int { try value(of: "VmRSS") }

    /// Returns the peak resident memory since the process began or since ``resetPeak()``.
    public func peak() throws -> Int { try value(of: "VmHWM") }

    /// Resets the peak.
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
