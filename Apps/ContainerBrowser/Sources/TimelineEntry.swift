// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading

/// One bar of a waterfall. Times are milliseconds since the call to open.
struct TimelineEntry: Sendable {
    var method: String
    var url: String
    var status: Int?
    var start: Double
    var firstByte: Double?
    var end: Double
    var bytes: Int64?
    var mediaType: String?
    var provenance: String
    var reason: String

    /// The container's own records where there are any, else what the engine timed.
    static func timeline(
        _ records: [RequestRecord], readings: PageReadings, since called: Double
    ) -> [TimelineEntry] {
        guard let first = records.map(\.started).min() else {
            return readings.resources.map { entry($0, origin: readings.origin - called) }
        }
        // The records' clock has no date: the first request is as good as the navigation's start.
        let origin = readings.origin - called
        return records.map { record in
            TimelineEntry(
                method: record.method.rawValue, url: record.url, status: record.status?.code,
                start: origin + first.duration(to: record.started).milliseconds,
                firstByte: record.responded.map { origin + first.duration(to: $0).milliseconds },
                end: origin + first.duration(to: record.ended).milliseconds, bytes: record.bytes,
                mediaType: record.mediaType,
                provenance: record.provenance?.source.rawValue ?? "failed", reason: record.reasonText)
        }.sorted { $0.start < $1.start }
    }

    private static func entry(_ resource: PageReadings.Resource, origin: Double) -> TimelineEntry {
        TimelineEntry(
            method: "GET", url: resource.url, status: resource.status, start: origin + resource.start,
            firstByte: resource.responseStart.map { origin + $0 }, end: origin + resource.end, bytes: resource.bytes,
            mediaType: nil, provenance: "engine", reason: "loaded by the engine itself")
    }
}

extension RequestRecord {
    /// Why the answer came from where it did, or why there was none.
    fileprivate var reasonText: String {
        switch outcome {
        case .failed(let error): error.description
        case .stopped: "dropped by the page"
        case .finished: provenance?.reason ?? ""
        }
    }
}
