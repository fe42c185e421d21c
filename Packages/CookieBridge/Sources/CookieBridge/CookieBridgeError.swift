// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which an operation on cookies failed.
public struct CookieBridgeError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<CookieBridgeError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people. It never contains the value of a cookie.
    public let message: String

    /// The location; always `nil`, because the message contains it.
    public var location: String? { nil }

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode<CookieBridgeError> {
    /// The time limit expired. The operation may still complete later.
    public static var timedOut: Self { Self("timed-out") }
    /// A store failed repeatedly. Changes that it lacks stay pending until it signals a change.
    public static var storeFailed: Self { Self("store-failed") }
    /// The reconciler is stopped.
    public static var stopped: Self { Self("stopped") }
    /// The limit of waiting callers is reached.
    public static var overloaded: Self { Self("overloaded") }
    /// The message of a page is malformed.
    public static var badMessage: Self { Self("bad-message") }
    /// The origin of the page may not send the message.
    public static var wrongOrigin: Self { Self("wrong-origin") }
}
