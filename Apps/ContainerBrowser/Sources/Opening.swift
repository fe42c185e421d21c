// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import WebEngine
internal import WebKitGTKAdapter

/// One measured opening of a page.
@MainActor
struct Opening {
    /// The pictures to take, each after the page has stopped changing.
    enum Pictures {
        case none, asItIs
        /// An additional picture for comparison, in which text with the page's origin is hidden.
        case comparable
    }

    var result: RunResult
    let snapshot: PageSnapshot?
    /// The picture in which text with the page's own origin is hidden, because the origin differs between the modes.
    let anonymousSnapshot: PageSnapshot?
    /// The date of the call to open.
    let called: Date
    let timeline: [TimelineEntry]

    /// The number of requests that the engine sent without the container.
    var past: Int { timeline.count(where: \.isPast) }

    /// Opens a page, waits until it is loaded, and measures it.
    /// - Parameters:
    ///   - ready: A JavaScript expression that is true when the page is usable, or `nil` for the load event.
    ///   - limit: The time limit for the load, and again for `ready`.
    static func measure(
        _ url: String, on stage: Stage, ready: String? = nil, pictures: Pictures, limit: Duration
    ) async throws -> Opening {
        let bytesBefore = stage.shapedBytes
        let requestsBefore = stage.requests.count
        try await stage.warmUp()
        let called = Date().timeIntervalSince1970 * 1_000
        let opened = try await stage.open(url) { $0.add(PageProbe.errorListener) }
        do {
            try await opened.finished(within: limit)
            let probe = PageProbe(opened.view)
            var readyAt: Double?
            if let ready { readyAt = try await probe.wait(for: ready, within: limit) }
            let readings = try await probe.readings()
            // The wait includes requests after the load event.
            try await quiet { stage.requests.count + opened.resources.all.count }
            let snapshot = pictures == .none ? nil : try await probe.settledSnapshot()
            var anonymousSnapshot: PageSnapshot?
            if pictures == .comparable {
                try await probe.hideOrigin()
                anonymousSnapshot = try await probe.settledSnapshot()
            }
            let requests = Array(stage.requests.dropFirst(requestsBefore))
            let resources = opened.resources.all
            let counted = RequestCount(requests, engine: resources, sizes: readings.sizes)
            var result = RunResult(readings, since: called)
            result.checkOutMs = opened.checkOut.milliseconds
            result.readyMs = readyAt.map { $0 - called }
            result.status = requests.last(where: \.isMainDocument)?.status?.code ?? readings.status(among: resources)
            result.requests = counted
            result.bytesFromNetwork =
                stage.shapedBytes.map { $0 - (bytesBefore ?? 0) } ?? counted.announcedNetworkBytes
            let timeline = TimelineEntry.timeline(
                requests, engine: resources, readings: readings, since: called, isOffline: stage.isOffline)
            await stage.close(opened)
            return Opening(
                result: result, snapshot: snapshot, anonymousSnapshot: anonymousSnapshot,
                called: Date(timeIntervalSince1970: called / 1_000), timeline: timeline)
        } catch {
            let failure = await stage.failure(of: url, because: error, in: opened, limit: limit)
            await stage.close(opened)
            throw failure
        }
    }

    /// Waits until no request has ended for half a second, for at most five seconds.
    private static func quiet(_ count: () -> Int) async throws {
        var last = count()
        var stillFor = 0
        for _ in 0..<50 where stillFor < 5 {
            try await Task.sleep(for: .milliseconds(100))
            stillFor = count() == last ? stillFor + 1 : 0
            last = count()
        }
    }
}

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
