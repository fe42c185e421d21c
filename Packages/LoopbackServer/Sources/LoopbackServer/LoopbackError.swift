// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which an operation of a loopback server failed.
public struct LoopbackError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<LoopbackError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The host or address that the error is about.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// `<code>: <message>: <cause> (<location>)`.
    public var description: String {
        let place = location.map { " (\($0))" } ?? ""
        return "\(code): \(message)\(cause.map { ": \($0)" } ?? "")\(place)"
    }
}

extension ErrorCode<LoopbackError> {
    /// No port of the loopback interface is available.
    public static var cannotListen: Self { Self("cannot-listen") }
    /// A certificate could not be created.
    public static var certificate: Self { Self("certificate") }
    /// The engine did not accept a certificate.
    public static var trust: Self { Self("trust") }
    /// The server is stopped.
    public static var stopped: Self { Self("stopped") }
    /// A connection would lead back to the server itself.
    public static var loop: Self { Self("loop") }
}
