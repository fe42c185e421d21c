// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason why a resource could not be loaded.
public struct ResourceError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<ResourceError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The URL or path that the error is about.
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

    /// Converts any error; a `ResourceError` stays unchanged.
    public init(_ error: any Error, at location: String? = nil) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "stopped", at: location)
        default: self.init(.internal, String(describing: error), at: location, cause: error)
        }
    }
}

extension ErrorCode<ResourceError> {
    /// The request is invalid: it has no URL, an unsupported scheme or a forbidden header field.
    public static var invalidRequest: Self { Self("invalid-request") }
    /// The host name has no address.
    public static var unknownHost: Self { Self("unknown-host") }
    /// No connection could be made.
    public static var cannotConnect: Self { Self("cannot-connect") }
    /// The certificate of the peer was refused, or the TLS handshake failed.
    public static var tls: Self { Self("tls") }
    /// The connection ended or violated the protocol before the response was complete.
    public static var connectionLost: Self { Self("connection-lost") }
    /// A time limit expired.
    public static var timedOut: Self { Self("timed-out") }
    /// The network is unavailable, or the container may not use it.
    public static var offline: Self { Self("offline") }
    /// A configured size limit is exceeded.
    public static var tooLarge: Self { Self("too-large") }
    /// The redirects exceed the limit or form a loop.
    public static var tooManyRedirects: Self { Self("too-many-redirects") }
    /// A rule of the web platform forbids the request: mixed content, or content of another origin.
    public static var blocked: Self { Self("blocked") }
    /// The stored bytes do not match their digest.
    public static var damaged: Self { Self("damaged") }
    /// The file system failed.
    public static var io: Self { Self("io") }
    /// The page or the caller stopped the request.
    public static var cancelled: Self { Self("cancelled") }
    /// A defect of the container.
    public static var `internal`: Self { Self("internal") }
}
