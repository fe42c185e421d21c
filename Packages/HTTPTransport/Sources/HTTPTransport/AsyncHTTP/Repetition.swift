// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP2

/// Decides on which connection a request goes, and whether it is sent again after it failed without a byte of a response.
///
/// A request that was surely not processed is sent again whatever its method is: it never left, or the host refused its
/// HTTP/2 stream (RFC 9113, sections 6.8 and 8.7). One that may have been processed is sent again once, if its method
/// is idempotent (RFC 9110, section 9.2.2).
struct Repetition: Sendable {
    /// Where a request is sent.
    enum Connection: Sendable {
        /// On a connection that other requests use, or on a new one where none is free.
        case pooled
        /// On a new connection.
        case fresh
    }

    /// One more attempt.
    struct Step: Sendable, Equatable {
        let connection: Connection
        /// The wait before it.
        let delay: Duration
    }

    /// The knowledge about a request that failed without a byte of a response.
    enum Loss: Sendable {
        /// No byte was sent, because the connection had carried a request before.
        case rejected
        /// The request did not leave whole: the connection ended before.
        case unsent
        /// The host says that it has not processed the request.
        case refused
        /// The host may have processed the request.
        case unanswered
    }

    /// The most attempts after a host has refused a stream: one that refuses at random lets a request through sooner.
    private static let refusalLimit = 24
    /// The most attempts after a connection has ended before the request was sent.
    private static let unsentLimit = 4
    private static let longestDelay = Duration.milliseconds(250)
    private let isIdempotent: Bool
    private var refusals = 0
    private var unsent = 0
    private var hasRepeated = false

    init(of method: HTTPRequest.Method) {
        isIdempotent = Self.isIdempotent(method.rawValue)
    }

    /// Returns a Boolean value that indicates whether a request may be processed twice (RFC 9110, section 9.2.2).
    static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// The connection of the first attempt.
    /// - Parameter isShared: whether the host speaks HTTP/2; `nil` if that is not known.
    func first(isShared: Bool?) -> Connection {
        isIdempotent || isShared != false ? .pooled : .fresh
    }

    /// The next attempt; `nil` if there is none.
    /// - Parameter isShared: whether the host speaks HTTP/2; `nil` if that is not known.
    mutating func next(after failure: TransportFailure, isShared: Bool?) -> Step? {
        let connection: Connection = isShared == true ? .pooled : .fresh
        switch failure.loss {
        case nil: return nil
        case .rejected: return Step(connection: .fresh, delay: .zero)
        case .unsent:
            unsent += 1
            return unsent > Self.unsentLimit ? nil : Step(connection: connection, delay: Self.delay(unsent))
        case .refused:
            refusals += 1
            return refusals > Self.refusalLimit ? nil : Step(connection: .pooled, delay: Self.delay(refusals))
        case .unanswered:
            guard isIdempotent, !hasRepeated else { return nil }
            hasRepeated = true
            return Step(connection: connection, delay: .zero)
        }
    }

    /// None before the first two attempts, then doubled from 10 ms on.
    private static func delay(_ number: Int) -> Duration {
        number < 3 ? .zero : min(.milliseconds(10 << min(number - 3, 10)), longestDelay)
    }
}

extension TransportFailure {
    /// The knowledge about the request; `nil` if a response had begun, or if no other attempt can do better.
    var loss: Repetition.Loss? {
        guard isUnanswered else { return nil }
        return switch underlying {
        case is ReuseGuard.Rejection: .rejected
        case let closed as NIOHTTP2Errors.StreamClosed where closed.errorCode == .refusedStream: .refused
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: .refused
        default: phase == .connect ? .unsent : .unanswered
        }
    }
}
