// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

extension URLProtocolFace {
    /// What became of one request of the app.
    public struct Report: Sendable {
        /// How it ended.
        public enum Outcome: Sendable {
            /// The session has the whole answer.
            case finished
            /// There was no answer, or it broke off.
            case failed(ResourceError)
            /// The app cancelled it.
            case stopped
        }

        /// As the app asked.
        public let request: HTTPRequest
        /// When the face got it.
        public let started: ContinuousClock.Instant
        /// When the head of the answer was there; `nil` where none came.
        public internal(set) var responded: ContinuousClock.Instant?
        /// When the session had the last byte, or the request was over.
        public internal(set) var ended: ContinuousClock.Instant
        /// The head of the last hop's answer; `nil` where none came.
        public internal(set) var head: HTTPResponse?
        /// Where the answer came from, and why.
        public internal(set) var provenance: Provenance?
        /// Body bytes that the session got.
        public internal(set) var bytes: Int64 = 0
        /// How it ended.
        public internal(set) var outcome = Outcome.stopped

        init(_ request: HTTPRequest) {
            self.request = request
            started = .now
            ended = started
        }
    }
}
