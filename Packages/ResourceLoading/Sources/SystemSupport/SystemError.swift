// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the call.
    public let call: String
    /// The error number (`errno`).
    public let number: CInt
    /// The path that was passed to the call, if it is known.
    public let path: String?

    /// Creates an error from `errno`, which must not have changed since the call.
    /// - Parameters:
    ///   - call: the name of the call.
    ///   - path: the path that was passed to the call. It is evaluated after `errno` is read, because an allocation
    ///     may change `errno`.
    public init(_ call: String, at path: @autoclosure () -> String? = nil) {
        let number = errno
        self.init(call, number: number, at: path())
    }

    /// Creates an error.
    /// - Parameters:
    ///   - call: the name of the call.
    ///   - number: the error number.
    ///   - path: the path that was passed to the call.
    public init(_ call: String, number: CInt, at path: String? = nil) {
        self.call = call
        self.number = number
        self.path = path
    }

    /// A Boolean value that indicates whether the device or the user's quota is full.
    public var isOutOfSpace: Bool { number == ENOSPC || number == EDQUOT }

    /// The system's description of the error number.
    public var reason: String { Self.reason(of: number) }

    /// `<call>: <reason>`.
    public var description: String { "\(call): \(reason)" }

    /// The system's description of `errno`.
    public static var lastReason: String { reason(of: errno) }

    /// Returns the system's description of an error number.
    public static func reason(of number: CInt) -> String { String(cString: strerror(number)) }

    /// Runs system calls, and converts a ``SystemError`` that they throw. Other errors are rethrown.
    @inlinable
    public static func mapping<Value, Failure: Error>(
        _ body: () throws -> Value, to convert: (SystemError) -> Failure
    ) throws -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            throw convert(error)
        }
    }
}
