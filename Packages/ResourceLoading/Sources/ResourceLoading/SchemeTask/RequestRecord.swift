// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// The result of one request, recorded when it has ended.
public struct RequestRecord: Sendable {
    /// The outcome of a request.
    public enum Outcome: Sendable {
        /// The page received the whole response.
        case finished
        /// There was no response, or it ended early.
        case failed(ResourceError)
        /// The page or the app stopped the request.
        case stopped
    }

    /// The initiator of a request.
    public enum Initiator: Sendable, Hashable {
        /// A page in a view.
        case page
        /// The app itself, through a session whose requests the container handles.
        case app
    }

    /// The initiator of the request.
    public let initiator: Initiator
    /// The page of the request; `nil` if the engine does not identify it, and for the app's own requests.
    public let page: PageID?
    /// The confidence of the attribution to ``page``; `nil` without a page.
    public let confidence: PageAttribution.Confidence?
    /// The method of the request as it was sent.
    public let method: HTTPRequest.Method
    /// The real URL.
    public let url: String
    /// A Boolean value that indicates whether the view navigated to this URL.
    public let isMainDocument: Bool
    /// The time when the container received the request.
    public let started: ContinuousClock.Instant
    /// The time when the response head arrived; `nil` if there was none.
    public private(set) var responded: ContinuousClock.Instant?
    /// The time when the engine or the session received the last byte, or when the request ended without one.
    public private(set) var ended: ContinuousClock.Instant
    /// The status of the response; `nil` if there was none.
    public private(set) var status: HTTPResponse.Status?
    /// The provenance of the response; `nil` if there was none.
    public private(set) var provenance: Provenance?
    /// The `Content-Type` of the response.
    public private(set) var mediaType: String?
    /// The number of body bytes that the engine or the session received. For a worker's script it excludes an injected
    /// bridge script.
    public private(set) var bytes: Int64 = 0
    /// The outcome of the request.
    public private(set) var outcome = Outcome.stopped

    /// Creates the record of a request that has begun.
    /// - Parameters:
    ///   - initiator: the initiator of the request.
    ///   - attribution: the page of the request, if it is known.
    ///   - method: the method of the request as it was sent.
    ///   - url: the real URL.
    ///   - isMainDocument: a Boolean value that indicates whether the view navigated to the URL.
    ///   - started: the time when the container received the request.
    public init(
        from initiator: Initiator, of attribution: PageAttribution?, _ method: HTTPRequest.Method, _ url: String,
        isMainDocument: Bool, started: ContinuousClock.Instant = .now
    ) {
        self.initiator = initiator
        page = attribution?.page.id
        confidence = attribution?.confidence
        self.method = method
        self.url = url
        self.isMainDocument = isMainDocument
        self.started = started
        ended = started
    }

    /// Records the head of the response.
    public mutating func record(
        _ head: HTTPResponse, from provenance: Provenance?, at responded: ContinuousClock.Instant? = .now
    ) {
        self.responded = responded
        status = head.status
        self.provenance = provenance
        mediaType = head.headerFields[.contentType]
    }

    /// Records the end of the request.
    public mutating func record(
        _ outcome: Outcome, bytes: Int64, at ended: ContinuousClock.Instant = .now
    ) {
        self.outcome = outcome
        self.bytes = bytes
        self.ended = ended
    }

    /// Records the end of the delivery to the engine.
    /// - Parameters:
    ///   - outcome: the end of the delivery, with the number of bytes that the engine received.
    ///   - ended: the time of the end.
    ///   - own: the number of bytes of the response itself, if the engine received an injected script before the
    ///     response body.
    public mutating func record(
        _ outcome: SchemeTaskDelivery.Outcome, at ended: ContinuousClock.Instant = .now, of own: Int64? = nil
    ) {
        switch outcome {
        case .finished(let bytes): record(.finished, bytes: own ?? bytes, at: ended)
        case .failed(let error, let bytes): record(.failed(error), bytes: own ?? bytes, at: ended)
        case .stopped(let bytes): record(.stopped, bytes: own ?? bytes, at: ended)
        }
    }
}
