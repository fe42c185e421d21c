// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

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
    /// Whether the engine loaded it past the container.
    var isPast = false

    /// What the container answered, and what the engine loaded past it, in the order in which it began.
    /// - Parameters:
    ///   - engine: how the engine's own loads ended.
    ///   - readings: when, as far as the page may know.
    ///   - isOffline: whether the network is cut, which is why the engine got no answer then.
    static func timeline(
        _ records: [RequestRecord], engine: [EngineResource], readings: PageReadings, since called: Double,
        isOffline: Bool
    ) -> [TimelineEntry] {
        let origin = readings.origin - called
        // The records' clock has no date: the first request is as good as the navigation's start.
        let first = records.map(\.started).min()
        var entries = records.map { entry($0, at: { origin + (first?.duration(to: $0).milliseconds ?? 0) }) }
        var timings = Dictionary(grouping: readings.resources, by: \.url)
        for resource in engine {
            let timing = timings[resource.url]?.isEmpty == false ? timings[resource.url]?.removeFirst() : nil
            entries.append(entry(resource, timing, origin: origin, isOffline: isOffline))
        }
        return entries.sorted { $0.start < $1.start }
    }

    private static func entry(
        _ record: RequestRecord, at time: (ContinuousClock.Instant) -> Double
    ) -> TimelineEntry {
        TimelineEntry(
            method: record.method.rawValue, url: record.url, status: record.status?.code, start: time(record.started),
            firstByte: record.responded.map(time), end: time(record.ended), bytes: record.bytes,
            mediaType: record.mediaType, provenance: record.provenance?.source.rawValue ?? "failed",
            reason: record.reasonText)
    }

    private static func entry(
        _ resource: EngineResource, _ timing: PageReadings.Resource?, origin: Double, isOffline: Bool
    ) -> TimelineEntry {
        let isAnswered = resource.failure == nil && (resource.status ?? 0) > 0
        let unanswered = isOffline ? "no answer to the engine: the network is cut" : "no answer to the engine"
        let reason = isAnswered ? "loaded by the engine itself" : unanswered
        return TimelineEntry(
            method: "GET", url: resource.url, status: isAnswered ? resource.status : nil,
            start: origin + (timing?.start ?? 0), firstByte: timing?.responseStart.map { origin + $0 },
            end: origin + (timing?.end ?? 0), bytes: resource.length ?? timing?.bytes, mediaType: nil,
            provenance: isAnswered ? "network" : "failed",
            reason: timing == nil ? reason + "; its times are not known" : reason,
            isPast: true)
    }
}

extension RequestRecord {
    /// Why the answer came from where it did, or why there was none.
    fileprivate var reasonText: String {
        switch outcome {
        case .failed(let error): "\(error)"
        case .stopped: "dropped by the page"
        case .finished: provenance?.reason ?? ""
        }
    }
}
