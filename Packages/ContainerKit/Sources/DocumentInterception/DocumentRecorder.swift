// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// The recorder of one request of the container for a document, redirects included. It sends the record when the engine
/// shows the document, or when the document is released without that: the engine then loads the document itself, or the
/// navigation has ended.
///
/// Isolation: the main actor.
@MainActor
final class DocumentRecorder {
    private let request: EngineRequest
    private let page: PageSession
    private let isMainDocument: Bool
    private let host: any DocumentHost
    private let started = ContinuousClock.now
    private var response: ResourceResponse?
    private var responded: ContinuousClock.Instant?
    private var failure: ResourceError?
    private var isShown = false

    /// Creates a recorder.
    /// - Parameters:
    ///   - request: the request.
    ///   - page: the page of the request.
    ///   - isMainDocument: a Boolean value that indicates whether the document is known to be that of the page; `false`
    ///     if it may be that of a frame.
    ///   - host: the container's side, which receives the record.
    init(_ request: EngineRequest, of page: PageSession, isMainDocument: Bool, _ host: any DocumentHost) {
        self.request = request
        self.page = page
        self.isMainDocument = isMainDocument
        self.host = host
    }

    isolated deinit {
        guard !isShown else { return }
        send(failure.map { .failed($0) } ?? .stopped, isMainDocument: isMainDocument, bytes: 0)
    }

    /// Records the head of the response to a hop.
    func record(_ response: ResourceResponse) {
        // The recorder must not retain the body, whose transfer ends with its release.
        self.response = response
        self.response?.body = .empty
        responded = .now
    }

    /// Records the error with which the request ended. A cancelled request has stopped.
    func record(_ error: ResourceError) { failure = error.code == .cancelled ? nil : error }

    /// Records that the engine shows the document, which is therefore that of the page.
    /// - Parameters:
    ///   - bytes: the number of bytes of the document.
    ///   - isInterim: a Boolean value that indicates whether the document only leads to another one.
    func recordShown(bytes: Int64, isInterim: Bool = false) {
        guard !isShown, var response else { return }
        isShown = true
        response.isInterim = isInterim
        host.received(response, to: request, of: page)
        send(.finished, isMainDocument: true, bytes: bytes)
    }

    private func send(_ outcome: RequestRecord.Outcome, isMainDocument: Bool, bytes: Int64) {
        var record = RequestRecord(
            from: .page, of: PageAttribution(page.reference, confidence: .exact), .get, request.head.urlText,
            isMainDocument: isMainDocument, started: started)
        if let response { record.record(response.head, from: response.provenance, at: responded) }
        record.record(outcome, bytes: bytes)
        host.requestEnded(record, pendingFor: nil)
    }
}
