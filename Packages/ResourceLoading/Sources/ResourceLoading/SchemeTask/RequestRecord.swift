// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// What became of one request, told once it has ended.
public struct RequestRecord: Sendable {
    /// How a request ended.
    public enum Outcome: Sendable {
        /// The page has the whole answer.
        case finished
        /// There was no answer, or it broke off.
        case failed(ResourceError)
        /// The page, or the app, dropped it.
        case stopped
    }

    /// Who asked.
    public enum Asker: Sendable, Hashable {
        /// A page in a view.
        case page
        /// The app itself, through a session that the container answers.
        case app
    }

    /// Who asked.
    public let asker: Asker
    /// The page that asked; `nil` where the engine does not say, and for the app's own requests.
    public let page: PageID?
    /// Whether ``page`` is known, or concluded and may be wrong; `nil` without one.
    public let confidence: PageAttribution.Confidence?
    /// The method of the request as it was sent.
    public let method: HTTPRequest.Method
    /// The real URL.
    public let url: String
    /// Whether it is what the view navigated to.
    public let isMainDocument: Bool
    /// When the container got it.
    public let started: ContinuousClock.Instant
    /// When the head of the answer was there; `nil` where none came.
    public private(set) var responded: ContinuousClock.Instant?
    /// When the engine, or the session, had the last byte, or the request was over.
    public private(set) var ended: ContinuousClock.Instant
    /// The status of the answer; `nil` where there was none.
    public private(set) var status: HTTPResponse.Status?
    /// Where the answer came from, and why; `nil` where there was none.
    public private(set) var provenance: Provenance?
    /// The answer's `Content-Type`.
    public private(set) var mediaType: String?
    /// Body bytes that reached the engine, or the session; of a worker's script those of its own, without the bridge's.
    public private(set) var bytes: Int64 = 0
    /// How it ended.
    public private(set) var outcome = Outcome.stopped

    /// Creates the record of a request that has begun.
    /// - Parameters:
    ///   - asker: the source of the request, a page or the app.
    ///   - attribution: the page of the request, if it is known.
    ///   - method: the method of the request as it was sent.
    ///   - url: the real URL.
    ///   - isMainDocument: whether the view navigated to the URL.
    ///   - started: the time when the container received the request.
    public init(
        from asker: Asker, of attribution: PageAttribution?, _ method: HTTPRequest.Method, _ url: String,
        isMainDocument: Bool, started: ContinuousClock.Instant = .now
    ) {
        self.asker = asker
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
    ///   - own: the number of bytes of the response itself, if the engine received an injected script in front of them.
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
