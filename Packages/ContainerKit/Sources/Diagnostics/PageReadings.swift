// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

/// The times that a script in an isolated world reads from a page's `performance` object.
///
/// `origin` is in milliseconds since 1970; the other times are in milliseconds since `origin`. A time that the engine
/// does not report is `nil`.
struct PageReadings: Decodable, Sendable, Hashable {
    var origin: Double?
    var responseStart: Double?
    var firstPaint: Double?
    var firstContentfulPaint: Double?
    var domReady: Double?

    /// The maximum length of a message, in bytes.
    private static let limit = 4_096

    init() {}

    /// Decodes the JSON that ``script`` posts; returns `nil` if it is invalid or too long.
    init?(json: String) {
        guard json.utf8.count <= Self.limit,
            let readings = try? JSONDecoder().decode(Self.self, from: Data(json.utf8))
        else { return nil }
        self = readings
    }

    /// The name of the isolated world and of its message handler.
    static let name = "containerkit-timeline"
    static let world = ScriptWorld.isolated(name: name)

    /// The script that posts the readings once, after the load and the first contentful paint, at the latest 2
    /// seconds after the load. A page is often loaded before it is painted.
    ///
    /// The script runs at the document's start: a script that the app evaluates later counts as a user gesture, which
    /// the page can read from `navigator.userActivation`.
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
