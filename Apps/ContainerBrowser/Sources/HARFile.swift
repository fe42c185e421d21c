// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ResourceLoading

/// The requests of one opening in the format HTTP Archive (HAR) 1.2.
@MainActor
struct HARFile {
    let summary: OpenSummary
    let opening: Opening

    func json() throws -> String {
        var export = HARExport()
        export.creator = HARExport.Program(name: "container-browser", version: ProgramVersion.current)
        export.browser = HARExport.Program(name: summary.engine, version: "")
        return String(decoding: try export.json([timeline]), as: UTF8.self)
    }

    private var timeline: PageTimeline {
        var timeline = PageTimeline(
            page: PageID(rawValue: 1), documentURL: summary.url, opened: opening.called,
            requestLimit: opening.timeline.count)
        timeline.marks.firstContentfulPaint = opening.result.firstContentfulPaintMs.map { .milliseconds($0) }
        timeline.marks.domReady = opening.result.domReadyMs.map { .milliseconds($0) }
        timeline.marks.loaded = opening.result.loadMs.map { .milliseconds($0) }
        for entry in opening.timeline { timeline.add(request(entry)) }
        return timeline
    }

    private func request(_ entry: TimelineEntry) -> PageTimeline.Request {
        var request = PageTimeline.Request(initiator: .page, method: entry.method, url: entry.url)
        request.status = entry.status
        request.provenance = entry.provenance == "failed" ? nil : Provenance.Source(rawValue: entry.provenance)
        request.reason = entry.reason
        request.mediaType = entry.mediaType
        request.bytes = entry.bytes
        request.started = .milliseconds(entry.start)
        request.responded = entry.firstByte.map { .milliseconds($0) }
        request.ended = .milliseconds(entry.end)
        return request
    }
}
