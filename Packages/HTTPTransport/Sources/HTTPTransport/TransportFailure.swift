// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// The phase and message of a failed request: the cause of each `ResourceError` of a transport that concerns the
/// network.
public struct TransportFailure: Error, Sendable, CustomStringConvertible {
    /// The phases of a request, in order.
    public enum Phase: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Resolving the host name.
        case resolve
        /// Connecting to the host or to the proxy.
        case connect
        /// The TLS handshake.
        case tls
        /// Sending the request.
        case send
        /// Waiting for the response, or receiving it.
        case receive

        public static func < (first: Phase, second: Phase) -> Bool {
            (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
        }
    }

    /// The phase that failed.
    public let phase: Phase
    /// The one-line message, the same as that of the `ResourceError`.
    public let message: String
    /// The error of the underlying library. Its text is not suitable for display.
    public let underlying: (any Error)?
    /// A Boolean value that indicates whether the connection ended without a byte of a response, as it does if the
    /// peer had already closed it.
    let isUnanswered: Bool

    /// Creates a failure.
    public init(_ phase: Phase, _ message: String, underlying: (any Error)? = nil) {
        self.init(phase, message, underlying: underlying, isUnanswered: false)
    }

    init(_ phase: Phase, _ message: String, underlying: (any Error)?, isUnanswered: Bool) {
        self.phase = phase
        self.message = message
        self.underlying = underlying
        self.isUnanswered = isUnanswered
    }

    public var description: String { "\(phase.rawValue): \(message)" }
}

extension ResourceError {
    /// The phase that the request failed in; `nil` if the failure does not concern the network.
    public var transportPhase: TransportFailure.Phase? {
        (cause as? TransportFailure)?.phase
    }

    /// A Boolean value that indicates whether TLS ended without close_notify during a body that ends with its
    /// connection. Engines treat such a body as complete, but it may be truncated.
    public var isMissingCloseNotify: Bool {
        (cause as? TransportFailure)?.underlying is MissingCloseNotify
    }

    init(_ code: Code, _ failure: TransportFailure, at url: String) {
        self.init(code, failure.message, at: url, cause: failure)
    }
}
