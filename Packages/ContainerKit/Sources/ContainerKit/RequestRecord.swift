// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
internal import SchemeMode
internal import SchemeRouter

/// What became of one request, told once it has ended.
public struct RequestRecord: Sendable {
    /// How a request ended.
    public enum Outcome: Sendable {
        /// The page has the whole answer.
        case finished
        /// There was no answer, or it broke off.
        case failed(ResourceError)
        /// The page dropped it.
        case stopped
    }

    /// The page that asked; `nil` where the engine does not say.
    public let page: PageID?
    /// The method of the request as the page sent it.
    public let method: HTTPRequest.Method
    /// The real URL.
    public let url: String
    /// Whether it is what the view navigated to.
    public let isMainDocument: Bool
    /// When the container got it.
    public let started: ContinuousClock.Instant
    /// When the head of the answer was there; `nil` where none came.
    public private(set) var responded: ContinuousClock.Instant?
    /// When the engine had the last byte, or the request was over.
    public private(set) var ended: ContinuousClock.Instant
    /// The status of the answer; `nil` where there was none.
    public private(set) var status: HTTPResponse.Status?
    /// Where the answer came from, and why; `nil` where there was none.
    public private(set) var provenance: Provenance?
    /// The answer's `Content-Type`.
    public private(set) var mediaType: String?
    /// Body bytes that reached the engine.
    public private(set) var bytes: Int64 = 0
    /// How it ended.
    public private(set) var outcome = Outcome.stopped

    init(_ request: EngineRequest, session: PageSession?, names: SchemeNames) {
        page = session?.id
        method = request.head.method
        url = names.realURL(of: request.head.urlText) ?? request.head.urlText
        isMainDocument = request.isMainDocument
        started = .now
        ended = started
    }

    mutating func note(_ response: ResourceResponse) {
        responded = .now
        status = response.head.status
        provenance = response.provenance
        mediaType = response.head.headerFields[.contentType]
    }

    mutating func note(_ outcome: SchemeTaskDelivery.Outcome) {
        ended = .now
        switch outcome {
        case .finished(let bytes):
            self.outcome = .finished
            self.bytes = bytes
        case .failed(let error, let bytes):
            self.outcome = .failed(error)
            self.bytes = bytes
        case .stopped(let bytes):
            self.outcome = .stopped
            self.bytes = bytes
        }
    }
}
