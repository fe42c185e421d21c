// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes

/// What went over the network while a page was open, as far as memory goes.
///
/// Isolation: any.
final class TrafficLog: Sendable {
    /// One request, whole once both bodies have ended.
    struct Exchange: Sendable {
        let request: HTTPRequest
        let started: Date
        /// The request's body; `nil` where it is not known whole.
        var sent: Data?
        /// The head of the answer; `nil` where none came.
        var response: HTTPResponse?
        /// The answer's body as it came; `nil` where it is not known whole.
        var received: Data?
    }

    /// Which body of which request.
    struct Body: Sendable {
        fileprivate let place: Int
        fileprivate let isRequest: Bool
    }

    private struct State {
        var exchanges: [Exchange] = []
        /// Bodies that are still arriving.
        var receiving: [Int: Data] = [:]
        var sending: [Int: Data] = [:]
        var bytes = 0
        var dropped = 0
    }

    /// The most requests that are kept: the first ones.
    private static let maxExchanges = 2_000
    /// The most bytes of all bodies.
    private static let maxBytes = 128 << 20
    private static let maxRequestBytes = 64 << 10
    private let state = Mutex(State())

    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// Requests for which there was no room.
    var dropped: Int { state.withLock { $0.dropped } }

    /// - Returns: the request's body, whose bytes are to be told; `nil` where there is no more room.
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

    /// - Returns: the answer's body.
    func record(_ response: HTTPResponse, to request: Body) -> Body {
        state.withLock { state in
            state.exchanges[request.place].response = response
            state.receiving[request.place] = Data()
            return Body(place: request.place, isRequest: false)
        }
    }

    /// A piece of a body, or its end.
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
