// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// The rules that choose the connection of a request, and decide whether a request that failed without a byte of a
/// response is sent again.
///
/// A request is sent again for any method if the host did not process it, because it was never sent or the host refused
/// its HTTP/2 stream (RFC 9113, sections 6.8 and 8.7). If the host may have processed the request, it is sent again
/// once if its method is idempotent (RFC 9110, section 9.2.2).
struct Repetition: Sendable {
    /// The kind of connection that a request is sent on.
    enum Connection: Sendable {
        /// A pooled connection, or a new connection if no pooled connection is free.
        case pooled
        /// A new connection.
        case fresh
        /// A new HTTP/1.1 connection.
        case freshHTTP1
    }

    /// A further attempt.
    struct Step: Sendable, Equatable {
        let connection: Connection
        /// The wait before the attempt.
        let delay: Duration
    }

    /// The cause of a failure without a byte of a response.
    enum Loss: Sendable {
        /// The request was not sent, because its connection had already carried a request.
        case rejected
        /// The connection ended before the request was sent.
        case unsent
        /// The host has reported that it did not process the request.
        case refused
        /// The host may have processed the request.
        case unanswered
    }

    /// The limit of attempts after a refused stream. A host that refuses streams at random accepts a request within
    /// fewer attempts.
    private static let refusalLimit = 24
    /// The limit of attempts after a connection ended before the request was sent.
    private static let unsentLimit = 4
    private static let longestDelay = Duration.milliseconds(250)
    private let isIdempotent: Bool
    /// A Boolean value that indicates whether the request cannot be sent over HTTP/2.
    var needsHTTP1 = false
    private var refusals = 0
    private var unsent = 0
    private var hasRepeated = false

    init(of method: HTTPRequest.Method) {
        isIdempotent = Self.isIdempotent(method.rawValue)
    }

    /// Returns a Boolean value that indicates whether a method is idempotent (RFC 9110, section 9.2.2).
    static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// Returns the connection of the first attempt.
    /// - Parameter isShared: A Boolean value that indicates whether the host uses HTTP/2; `nil` if unknown.
    func first(isShared: Bool?) -> Connection {
        permitted(isIdempotent || isShared != false ? .pooled : .fresh)
    }

    private func permitted(_ connection: Connection) -> Connection {
        needsHTTP1 ? .freshHTTP1 : connection
    }

    /// Returns the next attempt, or `nil` if the request must not be sent again.
    /// - Parameter isShared: A Boolean value that indicates whether the host uses HTTP/2; `nil` if unknown.
    mutating func next(after failure: TransportFailure, isShared: Bool?) -> Step? {
        let connection = permitted(isShared == true ? .pooled : .fresh)
        switch failure.loss {
        case nil: return nil
        case .rejected: return Step(connection: permitted(.fresh), delay: .zero)
        case .unsent:
            unsent += 1
            return unsent > Self.unsentLimit ? nil : Step(connection: connection, delay: Self.delay(unsent))
        case .refused:
            refusals += 1
            return refusals > Self.refusalLimit
                ? nil : Step(connection: permitted(.pooled), delay: Self.delay(refusals))
        case .unanswered:
            guard isIdempotent, !hasRepeated else { return nil }
            hasRepeated = true
            return Step(connection: connection, delay: .zero)
        }
    }

    /// Returns the delay before an attempt: no delay for the first two attempts, then 10 ms, doubled each time up to
    /// ``longestDelay``.
    private static func delay(_ number: Int) -> Duration {
        number < 3 ? .zero : min(.milliseconds(10 << min(number - 3, 10)), longestDelay)
    }
}

extension TransportFailure {
    /// The cause of the loss; `nil` if a response had begun, or if another attempt cannot succeed.
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

extension HTTPRequest {
    /// A Boolean value that indicates whether the head fits into an HTTP/2 frame of 16 KiB, which every server accepts
    /// (RFC 9113, section 4.2), with 1 KiB for fields that AsyncHTTPClient adds.
    ///
    /// The library writes no CONTINUATION frames: a longer head would end the connection with all its requests.
    var fitsHTTP2: Bool {
        guard scheme == "https" else { return true }
        let size = headerFields.reduce(path?.utf8.count ?? 0) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 32
        }
        // A code of HPACK has at most 30 bits (RFC 7541, appendix B).
        guard size > 4_000 else { return true }
        let fields = [(":path", sentTarget)] + headerFields.map { ($0.name.canonicalName, $0.value) }
        // Without a dynamic table, because the server may permit none.
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator(), maxDynamicTableSize: 0)
        var block = ByteBuffer()
        do {
            try encoder.encode(headers: HPACKHeaders(fields), to: &block)
        } catch {
            return false
        }
        return block.readableBytes <= 15 << 10
    }
}
