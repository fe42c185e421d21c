// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a program ends when it fails, after sysexits(3).
public enum ExitStatus: Int32, Sendable {
    /// What was measured is not as good as it must be; no failure of sysexits.
    case missed = 1
    /// The command line is wrong.
    case usage = 64
    /// The input's content is wrong.
    case badInput = 65
    /// The input does not exist.
    case noInput = 66
    /// A service that is needed is not there.
    case unavailable = 69
    /// A fault of the program itself.
    case internalError = 70
    /// The file system or the network refused.
    case io = 74
    /// Trust was refused.
    case refused = 77
}
