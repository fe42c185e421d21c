// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// How far a request came before it failed: the cause of each `ResourceError` of a transport that concerns the network.
public struct TransportFailure: Error, Sendable, CustomStringConvertible {
    /// The steps of a request, in their order.
    public enum Phase: String, Sendable, Hashable, Comparable, CaseIterable {
        /// The host's name was looked up.
        case resolve
        /// A connection was made, to the host or to the proxy.
        case connect
        /// TLS was agreed.
        case tls
        /// The request was on its way.
        case send
        /// The answer was awaited, or was arriving.
        case receive

        public static func < (first: Phase, second: Phase) -> Bool {
            (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
        }
    }

    /// The step that failed.
    public let phase: Phase
    /// One line for people; that of the `ResourceError`.
    public let message: String
    /// What the library underneath says. Not for people: its text is its own.
    public let underlying: (any Error)?
    /// The peer went away and had said nothing: a connection that it had closed already looks like this.
    let isUnanswered: Bool

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
    /// The step that a request failed in; `nil` where the network had no part in it.
    public var transportPhase: TransportFailure.Phase? {
        (cause as? TransportFailure)?.phase
    }

    /// A Boolean value that indicates whether a body has arrived that HTTP delimits by the end of its connection, and TLS
    /// ended without close_notify. The body is whole as far as engines can tell, and may have been cut off.
    public var isMissingCloseNotify: Bool {
        (cause as? TransportFailure)?.underlying is MissingCloseNotify
    }

    init(_ code: Code, _ failure: TransportFailure, at url: String) {
        self.init(code, failure.message, at: url, cause: failure)
    }
}
