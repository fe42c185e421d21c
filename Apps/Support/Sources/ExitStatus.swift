// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The exit status of a failed program, according to sysexits(3).
public enum ExitStatus: Int32, Sendable {
    /// A measurement missed its target. This status is not part of sysexits.
    case missed = 1
    /// The command line is invalid.
    case usage = 64
    /// The content of the input is invalid.
    case badInput = 65
    /// The input does not exist.
    case noInput = 66
    /// A required service is unavailable.
    case unavailable = 69
    /// An internal error of the program.
    case internalError = 70
    /// An input or output operation failed.
    case io = 74
    /// A trust check failed.
    case refused = 77
}
