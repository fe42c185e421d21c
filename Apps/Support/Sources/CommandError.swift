// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a command failed: one line for people and programs, and the exit status.
public struct CommandError: Error, Sendable, CustomStringConvertible {
    public let status: ExitStatus
    /// Lower-case words joined by hyphens: a stable name for the failure.
    public let code: String
    public let what: String
    /// A path, a URL, an option.
    public let location: String?

    public init(_ status: ExitStatus, code: String, _ what: String, at location: String? = nil) {
        self.status = status
        self.code = code
        self.what = what
        self.location = location
    }

    /// `error: <code>: <what> (<where>)`. Always one line, whatever the names in it are made of.
    public var description: String {
        let text = location.map { "error: \(code): \(what) (\($0))" } ?? "error: \(code): \(what)"
        return OneLine.text(text)
    }
}
