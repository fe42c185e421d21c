// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The failure of a command: one line for users and programs, and the exit status.
public struct CommandError: Error, Sendable, CustomStringConvertible {
    public let status: ExitStatus
    /// A stable identifier of the failure: lower-case words joined by hyphens.
    public let code: String
    public let what: String
    /// The location of the failure, such as a path, a URL or an option.
    public let location: String?

    public init(_ status: ExitStatus, code: String, _ what: String, at location: String? = nil) {
        self.status = status
        self.code = code
        self.what = what
        self.location = location
    }

    /// The error line `error: <code>: <what> (<where>)`. It never contains line breaks or control characters.
    public var description: String {
        let text = location.map { "error: \(code): \(what) (\($0))" } ?? "error: \(code): \(what)"
        return OneLine.text(text)
    }
}
