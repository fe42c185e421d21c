// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading

extension RequestRecord {
    /// Creates the record of a request that came over loopback.
    init(_ report: ExchangeReport) {
        self.init(
            from: .page, of: report.request.page, report.request.head.method, report.request.head.urlText,
            isMainDocument: report.request.destination == .document, started: report.started)
        if let head = report.head { record(head, from: report.provenance, at: report.responded) }
        let outcome: Outcome =
            switch report.outcome {
            case .finished, .upgraded: .finished
            case .failed(let error): .failed(error)
            case .stopped: .stopped
            }
        record(outcome, bytes: report.bytes, at: report.ended)
    }
}

extension ExchangeReport {
    /// The generation that answered a subresource, and its page. `nil` if the `Referer` field does not name the page's
    /// document: the attribution can then be wrong.
    var answeredSubresource: (generation: GenerationReference, page: PageReference)? {
        guard request.destination == .subresource, let generation = provenance?.generation, case .finished = outcome,
            let page = request.page?.page, request.head.headerFields[.referer] == page.documentURL
        else { return nil }
        return (generation, page)
    }
}
