// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which an operation of a container failed.
public struct ContainerError: CodedError, Hashable {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<ContainerError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The URL or name that the error is about.
    public let location: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }
}

extension ErrorCode<ContainerError> {
    /// The URL is not an absolute `http` or `https` URL.
    public static var invalidURL: Self { Self("invalid-url") }
    /// The proxy of the mode cannot listen.
    public static var proxy: Self { Self("proxy") }
    /// The local server of the mode cannot listen, or the engine does not accept its token.
    public static var server: Self { Self("server") }
    /// The method or mode is not supported for the page, or modes exclude each other.
    public static var unsupported: Self { Self("unsupported") }
    /// A cookie store could not be cleared.
    public static var cookies: Self { Self("cookies") }
    /// Data of an account could not be removed.
    public static var signOut: Self { Self("sign-out") }
    /// The domain is not a host name in ASCII.
    public static var invalidDomain: Self { Self("invalid-domain") }
}
