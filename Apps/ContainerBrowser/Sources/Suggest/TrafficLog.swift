// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes

/// The network traffic while a page was open, up to the limits of the log.
///
/// Isolation: any.
final class TrafficLog: Sendable {
    /// One request and its response. It is complete when both bodies have ended.
    struct Exchange: Sendable {
        let request: HTTPRequest
        let started: Date
        /// The request body, or `nil` if it is not completely known.
        var sent: Data?
        /// The head of the response, or `nil` without a response.
        var response: HTTPResponse?
        /// The response body as received, or `nil` if it is not completely known.
        var received: Data?
    }

    /// A reference to the request or response body of an exchange.
    struct Body: Sendable {
        fileprivate let place: Int
        fileprivate let isRequest: Bool
    }

    private struct State {
        var exchanges: [Exchange] = []
        /// Bodies that are not complete.
        var receiving: [Int: Data] = [:]
        var sending: [Int: Data] = [:]
        var bytes = 0
        var dropped = 0
    }

    /// The maximum number of recorded requests. Later requests are dropped.
    private static let maxExchanges = 2_000
    /// The maximum number of bytes of all bodies.
    private static let maxBytes = 128 << 20
    private static let maxRequestBytes = 64 << 10
    private let state = Mutex(State())

    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// The number of requests that exceeded ``maxExchanges``.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Begins an exchange.
    /// - Returns: A reference to the request body, or `nil` if the log is full.
    func begin(_ request: HTTPRequest) -> Body? {
        state.withLock { state in
            guard state.exchanges.count < Self.maxExchanges else {
                state.dropped += 1
                return nil
            }
            let place = state.exchanges.count
            state.exchanges.append(Exchange(request: request, started: Date()))
            state.sending[place] = Data()
            return Body(place: place, isRequest: true)
        }
    }

    /// Records the head of a response.
    /// - Returns: A reference to the response body.
    func record(_ response: HTTPResponse, to request: Body) -> Body {
        state.withLock { state in
            state.exchanges[request.place].response = response
            state.receiving[request.place] = Data()
            return Body(place: request.place, isRequest: false)
        }
    }

    /// Appends a piece to a body. `nil` marks the end of the body.
    func record(_ piece: Data?, of body: Body) {
        state.withLock { state in
            let bodies = body.isRequest ? \State.sending : \State.receiving
            guard let piece else {
                let whole = state[keyPath: bodies].removeValue(forKey: body.place)
                let path = body.isRequest ? \Exchange.sent : \Exchange.received
                if let whole { state.exchanges[body.place][keyPath: path] = whole }
                return
            }
            let size = (state[keyPath: bodies][body.place]?.count ?? 0) + piece.count
            guard state.bytes + piece.count <= Self.maxBytes, !body.isRequest || size <= Self.maxRequestBytes else {
                state[keyPath: bodies][body.place] = nil
                return
            }
            guard state[keyPath: bodies][body.place] != nil else { return }
            state.bytes += piece.count
            state[keyPath: bodies][body.place]?.append(piece)
        }
    }
}
