// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public enum ExitStatus: Int32, Sendable {
    case success = 0, usage = 64, badInput = 65, noInput = 66, unavailable = 69, internalError = 70, io = 74, refused = 77
    public func exit() -> Never { fatalError() }
}
public struct CommandError: Error {
    public init(_ status: ExitStatus, code: String, _ what: String, at: String) {}
}
