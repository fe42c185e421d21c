// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// A reader of measurements from a page. The scripts run in an isolated script world if possible, where the page cannot
/// detect them.
@MainActor
struct PageProbe {
    private static let world = ScriptWorld.isolated(name: "container-browser")
    private static let scriptLimit = Duration.seconds(10)
    /// The beginning of the message when the wait for an expression times out.
    nonisolated static let neverTrue = "never true: "
    private let view: WebKitGTKView

    init(_ view: WebKitGTKView) {
        self.view = view
    }

    /// A script that collects uncaught errors from the start of the document.
    static let errorListener = UserScript(
        """
        globalThis.probeErrors = [];
        addEventListener("error", event => {
            const target = event.target, url = target && target !== window && (target.src || target.href);
            probeErrors.push(url ? "cannot load " + url : String(event.message));
        }, true);
        addEventListener("unhandledrejection", event => probeErrors.push("unhandled rejection: " + event.reason));
        """, at: .documentStart, in: world, inAllFrames: false)

    /// Returns the measurements of the page.
    func readings() async throws -> PageReadings {
        let json = try await withLimit(Self.scriptLimit, "the page does not respond") { [view] in
            try await view.evaluate(Self.readingScript, in: Self.world)
        }
        return try JSONDecoder().decode(PageReadings.self, from: Data(json.utf8))
    }

    /// Waits until an expression is true and returns the time in milliseconds since 1970.
    ///
    /// The expression runs in the page's world, so that it can use the page's objects. It is evaluated once per
    /// animation frame; the returned time is that of the frame.
    func wait(for expression: String, within limit: Duration) async throws -> Double {
        let script = """
            while (!(\(expression))) await new Promise(requestAnimationFrame);
            return Date.now();
            """
        let answer = try await withLimit(limit, Self.neverTrue + expression) { [view] in
            try await view.evaluate(script, in: .page)
        }
        guard let instant = Double(answer) else { throw EngineError(.script, "not a time: \(answer)") }
        return instant
    }

    /// Returns a picture of the page after one second without changes. If the page continues to change, returns the
    /// last picture after a bounded number of tries.
    func settledSnapshot() async throws -> PageSnapshot {
        try await withLimit(.seconds(30), "no picture of the page") { [view] in
            var last = try await view.snapshot()
            var stillFor = 0
            for _ in 0..<50 where stillFor < 5 {
                try await Task.sleep(for: .milliseconds(200))
                let next = try await view.snapshot()
                stillFor = next.pixels == last.pixels ? stillFor + 1 : 0
                last = next
            }
            return last
        }
    }

    /// Hides the text that contains the page's own origin.
    func hideOrigin() async throws {
        _ = try await withLimit(Self.scriptLimit, "the page does not respond") { [view] in
            try await view.evaluate(Self.hidingScript, in: Self.world)
        }
    }

    private static let hidingScript = """
        const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (text.data.includes(location.host)) text.parentElement.style.visibility = "hidden";
        }
        """

    private static let readingScript = """
        const paint = () => performance.getEntriesByName("first-contentful-paint")[0];
        if (!paint()) await new Promise(done => {
            new PerformanceObserver(list => list.getEntriesByName("first-contentful-paint").length && done())
                .observe({ type: "paint", buffered: true });
            setTimeout(done, 5000);
        });
        // The engine may report the load before the handlers of the load event have finished.
        for (let turn = 0; !(performance.timing.loadEventEnd > 0) && turn < 100; turn++)
            await new Promise(done => setTimeout(done, 10));
        const navigation = performance.getEntriesByType("navigation")[0] || {};
        const timing = performance.timing;
        const known = value => value > 0 ? value : null;
        const sinceOrigin = value => value > 0 ? value - performance.timeOrigin : null;
        return {
            origin: performance.timeOrigin,
            responseStart: known(navigation.responseStart) ?? sinceOrigin(timing.responseStart),
            firstContentfulPaint: known(paint()?.startTime),
            domReady: known(navigation.domContentLoadedEventEnd) ?? sinceOrigin(timing.domContentLoadedEventEnd),
            load: known(navigation.loadEventEnd) ?? sinceOrigin(timing.loadEventEnd),
            // The list of resources starts with the document. A cross-origin entry may have no times and no size.
            resources: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
                .map(entry => ({
                    url: entry.name, start: entry.startTime, responseStart: known(entry.responseStart),
                    end: entry.responseEnd, status: known(entry.responseStatus),
                    bytes: entry.responseStart > 0 ? entry.encodedBodySize : null })),
            errors: globalThis.probeErrors || [],
        };
        """
}

/// The measurements of a page. Times are in milliseconds since `origin`, or `nil` if the engine did not report them.
/// `origin` is in milliseconds since 1970.
struct PageReadings: Decodable, Sendable {
    struct Resource: Decodable, Sendable {
        let url: String
        let start: Double
        let responseStart: Double?
        let end: Double
        let status: Int?
        let bytes: Int64?
    }

    let origin: Double
    let responseStart: Double?
    let firstContentfulPaint: Double?
    let domReady: Double?
    let load: Double?
    /// The loads of the engine. The first one is the document.
    let resources: [Resource]
    let errors: [String]

    /// Returns the document's HTTP status from the engine's resources, because some engines do not expose the status to
    /// the page.
    func status(among engine: [EngineResource]) -> Int? {
        guard let document = resources.first else { return nil }
        let url = document.url.prefix { $0 != "#" }
        return document.status ?? engine.first { $0.url.prefix { $0 != "#" } == url }?.status
    }

    /// The sizes of bodies in bytes, by URL.
    var sizes: [String: Int64] {
        Dictionary(resources.compactMap { entry in entry.bytes.map { (entry.url, $0) } }) { first, _ in first }
    }
}
