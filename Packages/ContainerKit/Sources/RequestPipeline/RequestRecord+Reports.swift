// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

/// Records of requests of the engine and of the app's sessions.
extension RequestRecord {
    init(
        _ request: EngineRequest, session: PageSession?, names: SchemeNames, started: ContinuousClock.Instant
    ) {
        self.init(
            from: .page, of: session.map { PageAttribution($0.reference, confidence: .exact) }, request.head.method,
            names.realURL(of: request.head), isMainDocument: request.isMainDocument, started: started)
    }

    init(_ report: URLProtocolFace.Report) {
        self.init(
            from: .app, of: nil, report.request.method, report.request.urlText, isMainDocument: false,
            started: report.started)
        if let head = report.head { record(head, from: report.provenance, at: report.responded) }
        record(report.outcome, bytes: report.bytes, at: report.ended)
    }

    mutating func record(_ response: ResourceResponse, at responded: ContinuousClock.Instant = .now) {
        record(response.head, from: response.provenance, at: responded)
    }
}
