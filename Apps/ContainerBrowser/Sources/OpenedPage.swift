// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
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

    init(_ page: Page<WebKitGTKView>) {
        self.init(view: page.view, load: page.load, checkOut: page.checkOut, page: page)
    }

    init(view: WebKitGTKView, load: ViewLoad, checkOut: Duration, page: Page<WebKitGTKView>? = nil) {
        self.view = view
        self.load = load
        self.checkOut = checkOut
        self.page = page
        let resources = EngineResources()
        load.observe { if case .resource(let resource) = $0 { resources.note(resource) } }
        self.resources = resources
    }
}

/// The resources that the engine loaded itself, over http or https.
@MainActor
final class EngineResources {
    private(set) var all: [EngineResource] = []

    func note(_ resource: EngineResource) {
        if resource.url.hasPrefix("http://") || resource.url.hasPrefix("https://") { all.append(resource) }
    }
}
