// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// What became of one request that came through a proxy.
public struct ExchangeReport: Sendable {
    /// How it ended.
    public enum Outcome: Sendable {
        /// The engine has the whole answer.
        case finished
        /// There was no answer, or it broke off.
        case failed(ResourceError)
        /// The engine dropped it.
        case stopped
        /// It became another protocol, such as a WebSocket, whose bytes pass unseen.
        case upgraded
    }

    /// As it was asked of the loader. Its body is read by then.
    public let request: ResourceRequest
    /// When its head was there.
    public let started: ContinuousClock.Instant
    /// When the head of the answer was there; `nil` where none came.
    public internal(set) var responded: ContinuousClock.Instant?
    /// When the last byte was handed on, or the request was over.
    public internal(set) var ended: ContinuousClock.Instant
    /// The head of the answer; `nil` where none came.
    public internal(set) var head: HTTPResponse?
    /// Where the answer came from, and why.
    public internal(set) var provenance: Provenance?
    /// Body bytes that were handed on.
    public internal(set) var bytes: Int64 = 0
    /// How it ended.
    public internal(set) var outcome = Outcome.stopped

    init(_ request: ResourceRequest) {
        self.request = request
        started = .now
        ended = started
    }

    mutating func record(_ response: ResourceResponse) {
        responded = .now
        head = response.head
        provenance = response.provenance
    }

    mutating func end(_ outcome: Outcome) {
        ended = .now
        self.outcome = outcome
    }
}
