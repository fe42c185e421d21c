// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a command ends, after sysexits(3).
public enum ExitStatus: Int32, Sendable {
    case usage = 64
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    case internalError = 70
    case io = 74
    case refused = 77
}

/// Why a command failed: one line for people and a status for programs.
public struct CommandError: Error, CustomStringConvertible {
    public let status: ExitStatus
    public let description: String

    public init(_ status: ExitStatus, code: String, _ what: String, at place: String) {
        self.status = status
        self.description = "error: \(code): \(what) (\(place))"
    }
}
