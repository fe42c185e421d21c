// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which the download or the update of a package failed.
///
/// An invalid package is a `PackageError`; a failure of the store is a `StoreError`.
public struct DeliveryError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<DeliveryError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The URL or path that the error is about.
    public let location: String?
    /// The underlying error.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }
}

extension ErrorCode<DeliveryError> {
    /// The URL cannot be requested: it is not absolute, or a redirect leads from https to http.
    public static var badURL: Self { Self("bad-url") }
    /// The network failed as often as the retry plan allows. The cause is the last error.
    public static var network: Self { Self("network") }
    /// The response has a status without usable content.
    public static var status: Self { Self("status") }
    /// No bytes arrived within the time limit.
    public static var stalled: Self { Self("stalled") }
    /// The response violates HTTP, or has a content coding that was not requested.
    public static var badAnswer: Self { Self("bad-answer") }
    /// The response has more bytes than announced or allowed.
    public static var tooLarge: Self { Self("too-large") }
    /// Each attempt returned fewer bytes than announced.
    public static var truncated: Self { Self("truncated") }
    /// The bytes do not have the size or the digest that the manifest names.
    public static var digestMismatch: Self { Self("digest-mismatch") }
    /// The device or the store's budget has too little free space.
    public static var noSpace: Self { Self("no-room") }
    /// The queue of downloads is full.
    public static var queueFull: Self { Self("queue-full") }
    /// The conditions of the host do not allow a download now, or an update of the package waits for its background
    /// download.
    public static var notNow: Self { Self("not-now") }
    /// The package requires a later version of the host.
    public static var hostTooOld: Self { Self("host-too-old") }
    /// This version failed its trial period before and stays quarantined.
    public static var quarantined: Self { Self("quarantined") }
    /// The host installed or removed the package during the update, or began an update with the urgency `.wanted`
    /// during a background download.
    public static var overtaken: Self { Self("overtaken") }
    /// The manifest names a package or scope that the source may not publish, or a redirect leaves the scope.
    public static var outOfScope: Self { Self("out-of-scope") }
    /// The package was installed from another source. Only this source may update it.
    public static var otherSource: Self { Self("other-source") }
    /// The manifest is older than an installed one, or differs from an installed one with the same sequence number.
    public static var replayed: Self { Self("replayed") }
    /// The publisher has not signed the manifest, or the source does not name the package.
    public static var unsigned: Self { Self("unsigned") }
    /// No release of the package is for this device, which has no version of it.
    public static var noRelease: Self { Self("no-release") }
    /// A URL is neither https nor local, and the configuration does not allow it.
    public static var insecure: Self { Self("insecure") }
    /// The file system failed.
    public static var io: Self { Self("io") }
}
