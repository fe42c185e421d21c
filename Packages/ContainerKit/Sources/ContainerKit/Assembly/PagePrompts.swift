// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PagePrompts
@_spi(Facade) internal import ResourceLoading
internal import WebEngine
internal import WebViewPool

// MARK: - Assembly

extension ContainerCore {
    func makePrompts() -> PagePromptController {
        PagePromptController(configuration.pages.requests, clock: configuration.clock, names: names) {
            [hub] outcome, ending in
            hub.send(.pageRequest(outcome.page, PageRequestRecord(outcome, ending)))
        }
    }
}

// MARK: - Component

extension PagePromptController: ContainerComponent {
    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) { begin(page, in: view) }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        switch signal {
        case .committed, .processEnded: release(page.id)
        default: break
        }
    }

    func pageDidClose(_ page: PageSession) { end(page) }
}

// MARK: - Port

/// The adapter between prompts and the pages of a container.
///
/// Isolation: the main actor.
@MainActor
final class PagePromptAdapter<Engine: WebEngineDriver>: PagePromptHost {
    private let pages: PageRegistry
    private let locator: PageLocator<Engine>
    private let pool: ViewPool<Engine.View, ViewKey>

    init(_ pages: PageRegistry, _ locator: PageLocator<Engine>, pool: ViewPool<Engine.View, ViewKey>) {
        self.pages = pages
        self.locator = locator
        self.pool = pool
    }

    var promptDelegate: (any PagePromptDelegate)? { pages.delegate }

    func session(of view: ViewID) -> PageSession? { pages.session(of: view) }

    func realURL(of place: String) -> String { locator.realURL(of: place) }

    func canOpen(_ url: String) -> Bool { RealURL(url) != nil }

    func place(of url: String, for page: PageSession) async throws -> String {
        // A view in the mode `customScheme` can show a URL of another mode only without interception.
        let isOfOtherMode = page.mode == .customScheme && locator.mode(ofPageAt: url) != .customScheme
        return try await locator.open(url, in: isOfOtherMode ? .plain : page.mode)
    }

    func retire(_ page: PageSession, because reason: DiscardReason) {
        pool.retire(because: reason) { view, _ in view.id == page.view }
    }
}
