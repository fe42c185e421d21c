// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading

/// Records of requests from what the loopback listeners report.
extension RequestRecord {
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
