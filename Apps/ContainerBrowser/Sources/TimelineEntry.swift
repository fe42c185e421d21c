// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// One bar of the waterfall. Times are in milliseconds since the call to open.
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
    /// A Boolean value that indicates whether the engine loaded the resource without the container.
    var isPast = false

    /// Returns the responses of the container and the loads of the engine, sorted by start time.
    /// - Parameters:
    ///   - engine: The loads of the engine itself.
    ///   - readings: The times that the page can read.
    ///   - isOffline: A Boolean value that indicates whether the network is cut. The reason for a missing response then
    ///     states this.
    static func timeline(
        _ records: [RequestRecord], engine: [EngineResource], readings: PageReadings, since called: Double,
        isOffline: Bool
    ) -> [TimelineEntry] {
        let origin = readings.origin - called
        // The records have times of a clock without a date, so the time of the first request stands for the start of
        // the navigation.
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
        let unanswered = isOffline ? "no response to the engine: the network is cut" : "no response to the engine"
        let reason = isAnswered ? "loaded by the engine itself" : unanswered
        return TimelineEntry(
            method: "GET", url: resource.url, status: isAnswered ? resource.status : nil,
            start: origin + (timing?.start ?? 0), firstByte: timing?.responseStart.map { origin + $0 },
            end: origin + (timing?.end ?? 0), bytes: resource.length ?? timing?.bytes, mediaType: nil,
            provenance: isAnswered ? "network" : "failed",
            reason: timing == nil ? reason + "; times unknown" : reason,
            isPast: true)
    }
}

extension RequestRecord {
    /// The reason for the source of the response, or for the missing response.
    fileprivate var reasonText: String {
        switch outcome {
        case .failed(let error): "\(error)"
        case .stopped: "cancelled by the page"
        case .finished: provenance?.reason ?? ""
        }
    }
}
