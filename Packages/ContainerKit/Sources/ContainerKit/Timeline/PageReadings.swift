// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

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

    /// Reads the JSON that ``script`` posts; `nil` where it is none.
    init?(json: String) {
        guard json.utf8.count <= Self.limit,
            let readings = try? JSONDecoder().decode(Self.self, from: Data(json.utf8))
        else { return nil }
        self = readings
    }

    /// Of the world, and of the message's handler in it.
    static let name = "containerkit-timeline"
    static let world = ScriptWorld.isolated(name: name)

    /// Posts the readings once, when the page has loaded and has its first contentful paint; 2 seconds after the load
    /// where it has none, as a page is often loaded before it is painted.
    ///
    /// A script of the page's start: one that the app runs later counts as a person's gesture, which a page can tell by
    /// `navigator.userActivation`.
    static let script = UserScript(source, at: .documentStart, in: world, inAllFrames: false)

    private static let source = """
        (() => {
            const paint = name => performance.getEntriesByName(name, 'paint')[0]?.startTime ?? null;
            const painted = () => paint('first-contentful-paint') !== null;
            const read = () => {
                const timing = performance.timing, origin = performance.timeOrigin;
                const since = value => value > 0 ? value - origin : null;
                return {
                    origin,
                    responseStart: since(timing.responseStart),
                    firstPaint: paint('first-paint'),
                    firstContentfulPaint: paint('first-contentful-paint'),
                    domReady: since(timing.domContentLoadedEventEnd),
                };
            };
            const tell = async () => {
                if (!painted()) await new Promise(done => {
                    new PerformanceObserver(() => painted() && done()).observe({ type: 'paint', buffered: true });
                    setTimeout(done, 2000);
                });
                await webkit.messageHandlers['\(name)'].postMessage(read());
            };
            const loaded = () => setTimeout(() => void tell().catch(() => {}));
            if (document.readyState === 'complete') loaded();
            else addEventListener('load', loaded, { once: true });
        })()
        """
}
