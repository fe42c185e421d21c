// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The timeline of a page.
extension EngineCheck {
    /// Checks the timeline of a page.
    /// - Parameter mode: The mode. In `plain`, the page gets no response.
    @MainActor
    func checkTimeline(_ mode: String?, in folder: String) async throws {
        guard let mode = mode.flatMap(InterceptionMode.init(rawValue:)) else {
            throw CheckFailure(description: "specify a mode")
        }
        let html = """
            <!doctype html><script>
            window.names = Object.getOwnPropertyNames(window).length + 2;
            window.isTouched = false;
            setInterval(() => { isTouched ||= navigator.userActivation.hasBeenActive });
            </script><p>Text
            """
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { _ in .page(html) }
        configuration.pages.mode = mode
        // The port of the page that the engine loads itself has no listener.
        let url = mode == .plain ? "http://localhost:1/" : "https://page.example/"
        configuration.network.coveredHosts = ["page.example"].compactMap { HostPattern($0) }
        configuration.diagnostics.timelines = TimelineOptions()
        let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)
        var reported = container.timelines().makeAsyncIterator()
        let page = try await container.open(url)
        guard let first = await reported.next() else { throw CheckFailure(description: "no timeline") }
        if mode == .plain {
            try expect(first.marks.failed != nil && first.failure != nil, "failure: \(first)")
            try expect(first.marks.loaded == nil && first.marks.firstContentfulPaint == nil, "never: \(first)")
        } else {
            try check(first, mode)
            // This evaluation counts as a user gesture, so the page itself reads the state before the evaluation.
            let found = try await page.view.evaluate(
                "return [Object.getOwnPropertyNames(window).length - names, isTouched]", in: .page)
            try expect(found == "[0,false]", "visible to the page (names, user gesture): \(found)")
        }
        await container.close(page)
        let last = await reported.next()
        try expect(last?.marks.closed != nil && page.timeline == last, "closed: \(String(describing: last))")
        await container.shutDown()
    }

    private func check(_ timeline: PageTimeline, _ mode: InterceptionMode) throws {
        let marks = timeline.marks
        try expect(timeline.mode == mode && timeline.hasWarmView == false, "session: \(timeline)")
        let order = [
            marks.checkOutEnded, marks.navigationStarted, marks.responseStarted, marks.committed, marks.loaded,
        ]
        let known = order.compactMap(\.self)
        try expect(known.count == order.count && known == known.sorted(), "marks: \(order)")
        guard let painted = marks.firstContentfulPaint, let ready = marks.domReady, let loaded = marks.loaded,
            let started = marks.navigationStarted
        else { throw CheckFailure(description: "not known: \(marks)") }
        // The page's clock is coarse and differs from the container's.
        let slack = Duration.milliseconds(50)
        try expect(painted + slack >= started && ready + slack >= started && ready <= loaded + slack, "\(marks)")
        let main = timeline.requests.first { $0.isMainDocument }
        try expect(main?.status == 200 && main?.provenance == .network && main?.started != nil, "\(timeline.requests)")
    }
}
