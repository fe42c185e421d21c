// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import LoopbackServer
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

    init(
        _ request: EngineRequest, session: PageSession?, names: SchemeNames, started: ContinuousClock.Instant = .now
    ) {
        asker = .page
        page = session?.id
        confidence = session == nil ? nil : .exact
        method = request.head.method
        url = names.realURL(of: request.head)
        isMainDocument = request.isMainDocument
        self.started = started
        ended = started
    }

    init(_ report: URLProtocolFace.Report) {
        asker = .app
        page = nil
        confidence = nil
        method = report.request.method
        url = report.request.urlText
        isMainDocument = false
        started = report.started
        responded = report.responded
        ended = report.ended
        status = report.head?.status
        provenance = report.provenance
        mediaType = report.head?.headerFields[.contentType]
        bytes = report.bytes
        outcome =
            switch report.outcome {
            case .finished: .finished
            case .failed(let error): .failed(error)
            case .stopped: .stopped
            }
    }

    init(_ report: ExchangeReport) {
        asker = .page
        page = report.request.page?.page.id
        confidence = report.request.page?.confidence
        method = report.request.head.method
        url = report.request.head.urlText
        isMainDocument = report.request.destination == .document
        started = report.started
        responded = report.responded
        ended = report.ended
        status = report.head?.status
        provenance = report.provenance
        mediaType = report.head?.headerFields[.contentType]
        bytes = report.bytes
        outcome =
            switch report.outcome {
            case .finished, .upgraded: .finished
            case .failed(let error): .failed(error)
            case .stopped: .stopped
            }
    }

    mutating func record(_ response: ResourceResponse, at responded: ContinuousClock.Instant = .now) {
        self.responded = responded
        status = response.head.status
        provenance = response.provenance
        mediaType = response.head.headerFields[.contentType]
    }

    /// - Parameter own: how many bytes the answer had of its own, where the engine got the bridge's in front of them.
    mutating func record(
        _ outcome: SchemeTaskDelivery.Outcome, at ended: ContinuousClock.Instant = .now, of own: Int64? = nil
    ) {
        self.ended = ended
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
        if let own { bytes = own }
    }
}
