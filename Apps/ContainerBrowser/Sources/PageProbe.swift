// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// Reads measurements out of a page, mostly from a script world beside the page's own, so that the page cannot tell.
@MainActor
struct PageProbe {
    private static let world = ScriptWorld.isolated(name: "container-browser")
    private static let scriptLimit = Duration.seconds(10)
    /// How the message begins of a wait for an expression that took too long.
    nonisolated static let neverTrue = "never true: "
    private let view: WebKitGTKView

    init(_ view: WebKitGTKView) {
        self.view = view
    }

    /// Collects uncaught errors from the start of the document on.
    static let errorListener = UserScript(
        """
        globalThis.probeErrors = [];
        addEventListener("error", event => {
            const target = event.target, url = target && target !== window && (target.src || target.href);
            probeErrors.push(url ? "cannot load " + url : String(event.message));
        }, true);
        addEventListener("unhandledrejection", event => probeErrors.push("unhandled rejection: " + event.reason));
        """, at: .documentStart, in: world, inAllFrames: false)

    /// What the engine measured.
    func readings() async throws -> PageReadings {
        let json = try await withLimit(Self.scriptLimit, "the page does not answer") { [view] in
            try await view.evaluate(Self.readingScript, in: Self.world)
        }
        return try JSONDecoder().decode(PageReadings.self, from: Data(json.utf8))
    }

    /// Waits until an expression is true and returns when that was, in milliseconds since 1970.
    ///
    /// The expression is the page's: it may use what the page's scripts made. The page's own frames are the clock: the
    /// answer is the frame that shows it.
    func wait(for expression: String, within limit: Duration) async throws -> Double {
        let script = """
            while (!(\(expression))) await new Promise(requestAnimationFrame);
            return Date.now();
            """
        let answer = try await withLimit(limit, Self.neverTrue + expression) { [view] in
            try await view.evaluate(script, in: .page)
        }
        guard let instant = Double(answer) else { throw EngineError(.script, "no time but \(answer)") }
        return instant
    }

    /// A picture of the page once nothing has moved for a second, or the last one after a bounded number of tries.
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

    /// Makes the text invisible in which the page prints its own origin.
    func hideOrigin() async throws {
        _ = try await withLimit(Self.scriptLimit, "the page does not answer") { [view] in
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
        // The load event's handlers may still run when the engine reports the load.
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
            // The document is a resource too. What another origin does not disclose has no times, and no size.
            resources: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
                .map(entry => ({
                    url: entry.name, start: entry.startTime, responseStart: known(entry.responseStart),
                    end: entry.responseEnd, status: known(entry.responseStatus),
                    bytes: entry.responseStart > 0 ? entry.encodedBodySize : null })),
            errors: globalThis.probeErrors || [],
        };
        """
}

/// Times in milliseconds since `origin`, which is in milliseconds since 1970; `nil` where the engine did not say.
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
    /// Of the engine's own loads, the document's first.
    let resources: [Resource]
    let errors: [String]

    /// The document's HTTP status, which not every engine tells the page.
    func status(among engine: [EngineResource]) -> Int? {
        guard let document = resources.first else { return nil }
        let url = document.url.prefix { $0 != "#" }
        return document.status ?? engine.first { $0.url.prefix { $0 != "#" } == url }?.status
    }

    /// Sizes of bodies in bytes, by URL.
    var sizes: [String: Int64] {
        Dictionary(resources.compactMap { entry in entry.bytes.map { (entry.url, $0) } }) { first, _ in first }
    }
}
