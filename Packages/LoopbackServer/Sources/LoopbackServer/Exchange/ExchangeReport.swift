// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// The result of one request through an intercepting proxy or a local server.
public struct ExchangeReport: Sendable {
    /// The end of a request.
    public enum Outcome: Sendable {
        /// The engine has received the complete response.
        case finished
        /// The response failed before or after its head.
        case failed(ResourceError)
        /// The engine cancelled the request.
        case stopped
        /// The connection changed to another protocol, such as WebSocket, whose bytes are relayed.
        case upgraded
    }

    /// The request to the loader. Its body has been consumed.
    public let request: ResourceRequest
    /// The time at which the request head was received.
    public let started: ContinuousClock.Instant
    /// The time at which the response head was available; `nil` without a response.
    public internal(set) var responded: ContinuousClock.Instant?
    /// The time at which the last byte was sent, or the request ended.
    public internal(set) var ended: ContinuousClock.Instant
    /// The response head; `nil` without a response.
    public internal(set) var head: HTTPResponse?
    /// The source of the response, with its reason.
    public internal(set) var provenance: Provenance?
    /// The number of body bytes that were sent.
    public internal(set) var bytes: Int64 = 0
    /// The end of the request.
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
