// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a page's `performance` says, read in a world beside the page's: times in milliseconds since `origin`, which is in
/// milliseconds since 1970; `nil` where the engine does not say.
struct PageReadings: Decodable, Sendable, Hashable {
    var origin: Double?
    var responseStart: Double?
    var firstPaint: Double?
    var firstContentfulPaint: Double?
    var domReady: Double?

    /// The most characters of an answer that are looked at.
    private static let limit = 4_096

    init() {}

    /// Reads the JSON that ``script`` returns; `nil` where it is none.
    init?(json: String) {
        guard json.utf8.count <= Self.limit,
            let readings = try? JSONDecoder().decode(Self.self, from: Data(json.utf8))
        else { return nil }
        self = readings
    }

    static let world = ScriptWorld.isolated(name: "containerkit-timeline")

    /// Waits for the first contentful paint, 2 seconds at most: a page is often loaded before it is painted.
    static let script = """
        const paint = name => performance.getEntriesByName(name, "paint")[0]?.startTime ?? null;
        if (paint("first-contentful-paint") === null) await new Promise(done => {
            new PerformanceObserver(() => paint("first-contentful-paint") !== null && done())
                .observe({ type: "paint", buffered: true });
            setTimeout(done, 2000);
        });
        const timing = performance.timing, origin = performance.timeOrigin;
        const since = value => value > 0 ? value - origin : null;
        return {
            origin,
            responseStart: since(timing.responseStart),
            firstPaint: paint("first-paint"),
            firstContentfulPaint: paint("first-contentful-paint"),
            domReady: since(timing.domContentLoadedEventEnd),
        };
        """
}
