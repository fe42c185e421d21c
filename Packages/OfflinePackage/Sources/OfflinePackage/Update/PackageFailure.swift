// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
internal import ResourceStore
public import SystemSupport

/// The failure of an install, an update or a repair, as events report it.
///
/// The code names the component that failed. The caller of an update receives the original error.
public struct PackageFailure: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<PackageFailure>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The URL or path that the error is about.
    public let location: String?
    /// The original error.
    public let cause: (any Error)?
    /// The package of a failed update, if its manifest was read.
    @_spi(Facade) public internal(set) var package: PackageID?
    /// The version that a failed update would have installed, if its manifest was read.
    @_spi(Facade) public internal(set) var version: PackageVersion?

    @_spi(Facade) public init(_ error: any Error) {
        switch error {
        case let error as DeliveryError: (code, message, location) = (.delivery, error.message, error.location)
        case let error as PackageError: (code, message, location) = (.package, error.message, error.location)
        case let error as StoreError: (code, message, location) = (.store, error.message, error.location)
        case is CancellationError: (code, message, location) = (.cancelled, "the operation was cancelled", nil)
        default: (code, message, location) = (.other, String(describing: error), nil)
        }
        cause = error
    }

    /// The description of the original error.
    public var description: String {
        cause.map { String(describing: $0) } ?? message
    }
}

extension ErrorCode<PackageFailure> {
    /// The download failed, or a rule of the updater refused the package. The cause is a ``DeliveryError``.
    public static var delivery: Self { Self("delivery") }
    /// The package is invalid. The cause is a `PackageError`.
    public static var package: Self { Self("package") }
    /// The store failed. The cause is a `StoreError`.
    public static var store: Self { Self("store") }
    /// The caller cancelled the operation.
    public static var cancelled: Self { Self("cancelled") }
    /// Another library failed. The cause is its error.
    public static var other: Self { Self("other") }
}
