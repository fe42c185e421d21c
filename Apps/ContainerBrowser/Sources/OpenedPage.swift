// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import WebEngine
internal import WebKitGTKAdapter

/// A page opened on a ``Stage``, with or without a container.
@MainActor
struct OpenedPage {
    let view: WebKitGTKView
    let load: ViewLoad
    let checkOut: Duration
    /// The container's page, or `nil` without a container.
    let page: Page<WebKitGTKView>?
    /// The resources that the engine loaded without the container.
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

    /// A Boolean value that indicates whether the load ended without a document.
    ///
    /// An engine may load a blank page instead of a URL that it refuses, for example one with a blocked port.
    var isRefused: Bool {
        if case .finished = load.state { return !hasDocument }
        return false
    }

    /// A Boolean value that indicates whether the view has committed a document of the page, not only a blank page.
    var hasDocument: Bool { arrival.hasDocument }

    /// Waits until the page and its initial resources are loaded.
    /// - Throws: `EngineError`
    func finished(within limit: Duration) async throws {
        try await load.finished(within: limit)
        try checkArrival()
    }

    /// Checks that the page can still load.
    /// - Throws: `EngineError` if the load failed or was refused.
    func checkArrival() throws {
        if case .failed(let error) = load.state { throw error }
        if isRefused { throw EngineError(.blocked, "the load ended without a document") }
    }
}

/// The state of a view: it has committed a document of the page, or only a blank page.
@MainActor
private final class Arrival {
    private(set) var hasDocument = false

    func record(_ signal: ViewSignal) {
        if case .committed(let url) = signal, !url.isEmpty, !url.hasPrefix("about:") { hasDocument = true }
    }
}

/// The resources that the engine loaded itself over http or https.
@MainActor
final class EngineResources {
    private(set) var all: [EngineResource] = []

    func record(_ resource: EngineResource) {
        all.append(resource)
    }
}
