// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which a test server or relay could not start.
public struct ContainerTestingError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<ContainerTestingError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The path, port or specification that the error is about.
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
}

extension ErrorCode<ContainerTestingError> {
    /// Another program listens on the port. The location names the port.
    public static var portInUse: Self { Self("port-in-use") }
    /// The system refuses to listen for another reason.
    public static var cannotListen: Self { Self("cannot-listen") }
    /// The folder to serve does not exist, or is not a folder.
    public static var noSuchFolder: Self { Self("no-such-folder") }
    /// The specification of a fault is invalid.
    public static var invalidFault: Self { Self("invalid-fault") }
    /// A number of a network profile is out of range.
    public static var invalidProfile: Self { Self("invalid-profile") }
    /// The certificate could not be created.
    public static var tls: Self { Self("tls") }
}
