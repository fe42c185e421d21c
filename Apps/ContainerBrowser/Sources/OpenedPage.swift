// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import WebEngine
internal import WebKitGTKAdapter

/// A page that was opened on a stage, with a container or without.
@MainActor
struct OpenedPage {
    let view: WebKitGTKView
    let load: ViewLoad
    let checkOut: Duration
    /// The container's page, where there is a container.
    let page: Page<WebKitGTKView>?
    /// What the engine loaded past the container.
    let resources: EngineResources
    private let arrival = Arrival()

    init(_ page: Page<WebKitGTKView>) {
        self.init(view: page.view, load: page.load, checkOut: page.checkOut, page: page)
    }

    init(view: WebKitGTKView, load: ViewLoad, checkOut: Duration, page: Page<WebKitGTKView>? = nil) {
        self.view = view
        self.load = load
        self.checkOut = checkOut
        self.page = page
        let resources = EngineResources()
        load.observe { [arrival] signal in
            if case .resource(let resource) = signal { resources.record(resource) }
            arrival.record(signal)
        }
        self.resources = resources
    }

    /// Whether the page's load has ended without a page.
    ///
    /// An engine that will not load a URL, such as one of a port that it blocks, may load a blank page in its place.
    var isRefused: Bool {
        if case .finished = load.state { return !hasDocument }
        return false
    }

    /// Whether a document of the page's own has begun to arrive.
    var hasDocument: Bool { arrival.hasDocument }

    /// Returns when the page and all that it loads at first are there.
    /// - Throws: `EngineError`
    func finished(within limit: Duration) async throws {
        try await load.finished(within: limit)
        try checkArrival()
    }

    /// - Throws: `EngineError` where there will be no page.
    func checkArrival() throws {
        if case .failed(let error) = load.state { throw error }
        if isRefused { throw EngineError(.blocked, "the load ended without a document") }
    }
}

/// Notes whether a page gets a document of its own.
@MainActor
private final class Arrival {
    private(set) var hasDocument = false

    func record(_ signal: ViewSignal) {
        if case .committed(let url) = signal, !url.isEmpty, !url.hasPrefix("about:") { hasDocument = true }
    }
}

/// The resources that the engine loaded itself, over http or https.
@MainActor
final class EngineResources {
    private(set) var all: [EngineResource] = []

    func record(_ resource: EngineResource) {
        all.append(resource)
    }
}
