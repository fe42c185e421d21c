// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceStore

/// Why something that a package was to go through failed, as events tell it: one type for the errors of all who take part.
/// The caller of an update gets the error itself.
public struct PackageFailure: Error, Sendable, CustomStringConvertible {
    /// Who failed. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Lower-case words joined by hyphens; programs print it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The way from the network, or a rule of the updater; the cause is a ``DeliveryError``.
        public static let delivery = Code("delivery")
        /// The package itself is wrong; the cause is a `PackageError`.
        public static let package = Code("package")
        /// The store could not do it; the cause is a `StoreError`.
        public static let store = Code("store")
        /// The caller gave it up.
        public static let cancelled = Code("cancelled")
        /// Another library; the cause says which.
        public static let other = Code("other")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL or a path.
    public let location: String?
    /// The error itself.
    public let cause: (any Error)?

    init(_ error: any Error) {
        switch error {
        case let error as DeliveryError: (code, message, location) = (.delivery, error.message, error.location)
        case let error as PackageError: (code, message, location) = (.package, error.message, error.location)
        case let error as StoreError: (code, message, location) = (.store, error.message, error.location)
        case is CancellationError: (code, message, location) = (.cancelled, "given up", nil)
        default: (code, message, location) = (.other, String(describing: error), nil)
        }
        cause = error
    }

    /// What the error says of itself.
    public var description: String {
        cause.map { String(describing: $0) } ?? message
    }
}
