// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// The phase and message of a failed request. It is the cause of each `ResourceError` of a transport that concerns the
/// network.
package struct TransportFailure: Error, Sendable, CustomStringConvertible {
    /// The phases of a request, in order.
    package enum Phase: String, Sendable, Hashable {
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
    }

    /// The phase that failed.
    package let phase: Phase
    /// The one-line message, the same as that of the `ResourceError`.
    package let message: String
    /// The error of the underlying library. Its text is not suitable for display.
    package let underlying: (any Error)?
    /// A Boolean value that indicates whether the connection ended without a byte of a response, for example because
    /// the peer had already closed it.
    package let isUnanswered: Bool

    package init(_ phase: Phase, _ message: String, underlying: (any Error)? = nil, isUnanswered: Bool = false) {
        self.phase = phase
        self.message = message
        self.underlying = underlying
        self.isUnanswered = isUnanswered
    }

    package var description: String { "\(phase.rawValue): \(message)" }
}

extension ResourceError {
    /// The phase that the request failed in; `nil` if the failure does not concern the network.
    package var transportPhase: TransportFailure.Phase? {
        (cause as? TransportFailure)?.phase
    }

    /// A Boolean value that indicates whether the response ended with its connection and may be incomplete (RFC 9112,
    /// section 8): TLS ended without close_notify in a body without a length, or the connection ended within the head.
    /// Engines treat the response as complete.
    var isUnconfirmedResponseEnd: Bool {
        (cause as? TransportFailure)?.underlying is UnconfirmedResponseEnd
    }

    package init(_ code: Code, _ failure: TransportFailure, at url: String) {
        self.init(code, failure.message, at: url, cause: failure)
    }
}

/// The error of a response that ended with its connection and may be incomplete (RFC 9112, section 8): TLS ended
/// without close_notify (RFC 8446, section 6.1) in a body without a length, or the connection ended within the head.
///
/// A body that is shorter than its length, or whose last chunk is missing, is a lost connection instead.
package struct UnconfirmedResponseEnd: Error {
    package init() {}
}
