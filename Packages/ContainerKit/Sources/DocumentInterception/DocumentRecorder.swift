// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
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
    private var exchange: Exchange
    private let isMainDocument: Bool
    private let host: any DocumentHost
    private var failure: ResourceError?
    private var isShown = false
    /// A Boolean value that indicates whether a route rule determines the response to the last hop.
    private(set) var isOfRule = false
    /// A Boolean value that indicates whether a route rule determines the response to any hop.
    private(set) var hasRule = false

    /// Creates a recorder.
    /// - Parameters:
    ///   - request: the request.
    ///   - page: the page of the request.
    ///   - isMainDocument: a Boolean value that indicates whether the document is known to be that of the page; `false`
    ///     if it may be that of a frame.
    ///   - host: the container's side, which receives the record.
    init(_ request: EngineRequest, of page: PageSession, isMainDocument: Bool, _ host: any DocumentHost) {
        exchange = Exchange(request: request, page: page)
        self.isMainDocument = isMainDocument
        self.host = host
    }

    deinit {
        guard !isShown else { return }
        let record = exchange.record(
            failure.map { .failed($0) } ?? .stopped, isMainDocument: isMainDocument, bytes: 0)
        MainActor.runInDeinit { [host] in host.requestEnded(record, pendingFor: nil) }
    }

    /// Records whether a route rule determines the response to a hop.
    func record(isOfRule: Bool) {
        self.isOfRule = isOfRule
        hasRule = hasRule || isOfRule
    }

    /// Records the head of the response to a hop.
    func record(_ response: ResourceResponse) {
        // The recorder must not retain the body, whose transfer ends with its release.
        exchange.response = response
        exchange.response?.body = .empty
        exchange.responded = .now
    }

    /// Records the error with which the request ended. A cancelled request has stopped.
    func record(_ error: ResourceError) { failure = error.code == .cancelled ? nil : error }

    /// Records that the engine shows the document, which is therefore that of the page.
    /// - Parameters:
    ///   - bytes: the number of bytes of the document.
    ///   - isInterim: a Boolean value that indicates whether the document only leads to another one.
    func recordShown(bytes: Int64, isInterim: Bool = false) {
        guard !isShown, var response = exchange.response else { return }
        isShown = true
        response.isInterim = isInterim
        host.received(response, to: exchange.request, of: exchange.page)
        host.requestEnded(exchange.record(.finished, isMainDocument: true, bytes: bytes), pendingFor: nil)
    }

    /// The request and its last response.
    private struct Exchange {
        let request: EngineRequest
        let page: PageSession
        let started = ContinuousClock.now
        var response: ResourceResponse?
        var responded: ContinuousClock.Instant?

        func record(_ outcome: RequestRecord.Outcome, isMainDocument: Bool, bytes: Int64) -> RequestRecord {
            var record = RequestRecord(
                from: .page, of: PageAttribution(page.reference, confidence: .exact), .get, request.head.urlText,
                isMainDocument: isMainDocument, started: started)
            if let response { record.record(response.head, from: response.provenance, at: responded) }
            record.record(outcome, bytes: bytes)
            return record
        }
    }
}
