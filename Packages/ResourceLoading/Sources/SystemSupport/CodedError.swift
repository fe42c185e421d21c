// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An error with a stable code for programs and one line of text for people.
public protocol CodedError: Error, CustomStringConvertible {
    /// The kind of the failure.
    var code: ErrorCode<Self> { get }
    /// A message of one line for people.
    var message: String { get }
    /// The URL, path or field that the error is about, if there is one.
    var location: String? { get }
}

extension CodedError {
    /// The name of the code, also for `any CodedError`, whose `code` has no type.
    public var codeName: String { code.description }

    /// `<code>: <message> (<location>)`, or `<code>: <message>` without a location.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

/// The kind of a failure of type `Failure`.
///
/// A module that declares an error type also declares the codes, as static properties of `ErrorCode` for that type.
/// Later versions may add codes, so a `switch` over a code needs a `default`.
public struct ErrorCode<Failure: Error>: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code: lower-case words joined by hyphens. Names do not change.
    public let description: String

    /// Creates a code.
    /// - Parameter name: lower-case words joined by hyphens.
    public init(_ name: String) {
        description = name
    }
}
