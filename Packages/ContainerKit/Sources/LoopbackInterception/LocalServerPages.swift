// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackServer
internal import ResourceLoading
internal import WebEngine

/// The open pages of the local server. If the port of the server changes, their documents are loaded again, because the
/// port is a part of their URLs.
///
/// A document that was requested with a method other than GET is not loaded again.
///
/// Isolation: the main actor.
@MainActor
final class LocalServerPages {
    private struct Page {
        weak var view: (any EngineView)?
        /// The real URL of the document; `nil` if the document is not one of the server.
        var url: String?
    }

    private var pages: [PageID: Page] = [:]
    private var lastPort: Int?
    /// A closure that returns the port of the server; `nil` while it does not listen.
    var port: @MainActor () -> Int? = { nil }

    /// Adds a page before its view loads a document of the server.
    /// - Parameter url: the real URL of the document.
    func insert(_ page: PageID, at url: String, in view: any EngineView) {
        pages[page] = Page(view: view, url: url)
    }

    /// Records the real URL of a document that a page shows; `nil` for a document from elsewhere.
    func record(_ url: String?, of page: PageID) { pages[page]?.url = url }

    /// Removes a page that is closed.
    func remove(_ page: PageID) { pages[page] = nil }

    /// Loads the documents of the pages again if the port has changed since the last call.
    func reloadIfPortChanged() {
        guard let port = port(), port != lastPort else { return }
        defer { lastPort = port }
        guard lastPort != nil else { return }
        for page in pages.sorted(by: { $0.key.rawValue < $1.key.rawValue }).map(\.value) {
            guard let view = page.view, !view.hasEnded, !view.loading.posting.isPosted,
                let place = page.url.flatMap({ LocalServer.url(of: $0, at: port)?.url })
            else { continue }
            view.loading.load(place)
        }
    }
}
