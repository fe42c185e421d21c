// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

extension URLProtocolFace {
    /// The report on one request of the app.
    public struct Report: Sendable {
        /// The request of the app.
        public let request: HTTPRequest
        /// The time at which the face received the request.
        public let started: ContinuousClock.Instant
        /// The time at which the head of the response was delivered; `nil` if there was none.
        public internal(set) var responded: ContinuousClock.Instant?
        /// The time at which the session received the last byte, or the request ended otherwise.
        public internal(set) var ended: ContinuousClock.Instant
        /// The head of the final response after redirects; `nil` if there was none.
        public internal(set) var head: HTTPResponse?
        /// The source of the response and the reason.
        public internal(set) var provenance: Provenance?
        /// The number of body bytes that the session received.
        public internal(set) var bytes: Int64 = 0
        /// The outcome of the request.
        public internal(set) var outcome = RequestRecord.Outcome.stopped

        init(_ request: HTTPRequest) {
            self.request = request
            started = .now
            ended = started
        }
    }
}
