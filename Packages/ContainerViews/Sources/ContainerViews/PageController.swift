// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit
internal import Foundation
public import Observation

/// The state of the page of a ``PageController``.
public enum PagePhase: Sendable {
    /// No page is open.
    case closed
    /// A view is being checked out, or the document has not begun to arrive. A view may already be there.
    case opening
    /// The document has begun to arrive.
    case arriving
    /// The page and its initial resources have loaded.
    case shown
    /// The page could not be opened or loaded. ``PageController/retry()`` opens it again. The errors are those of
    /// `Container.open(_:options:prepare:)` and `EngineError`.
    case failed(any Error)
}

/// A controller that opens one page at a time in a container, for a view of the app's user interface.
///
/// Its properties are observable. The app creates one container and shares it among its controllers. The page closes
/// when the controller is released.
///
/// Isolation: the main actor.
@MainActor
@Observable
public final class PageController<Engine: WebEngineDriver> {
    /// A closure that prepares the view of a page before the load begins.
    public typealias Preparation = @MainActor (Engine.View) throws -> Void

    /// The container of the pages.
    @ObservationIgnored public let container: Container<Engine>
    /// The state of the page.
    public private(set) var phase = PagePhase.closed
    /// The open page; `nil` while no view is checked out.
    public private(set) var page: Page<Engine.View>?
    /// The title of the document. It is empty until the document has loaded, and if the document has none.
    public private(set) var title = ""
    /// The last request of the app, which ``retry()`` repeats.
    @ObservationIgnored private var request: (url: String, options: PageOptions, prepare: Preparation)?
    /// The number of the last ``open(_:options:prepare:)`` or ``close()`` call. A result of an earlier call is ignored.
    @ObservationIgnored private var call = 0
    @ObservationIgnored private var titleTask: Task<Void, Never>?

    /// Creates a controller without a page.
    /// - Parameter container: the container of the app.
    public init(_ container: Container<Engine>) {
        self.container = container
    }

    deinit {
        titleTask?.cancel()
    }

    /// A Boolean value that indicates whether a page is loading.
    public var isLoading: Bool {
        switch phase {
        case .opening, .arriving: true
        case .closed, .shown, .failed: false
        }
    }

    /// Opens a page in place of the current one, and returns when its load has begun. ``phase`` has the result. A later
    /// call replaces a call in progress.
    ///
    /// If the task is cancelled before the load has begun, the page is closed.
    /// - Parameters:
    ///   - url: the real URL of the page, with the scheme `http` or `https`.
    ///   - options: the options of this page.
    ///   - prepare: a closure that can add scripts and message handlers to the view before the load begins.
    public func open(
        _ url: String, options: PageOptions = PageOptions(), prepare: @escaping Preparation = { _ in }
    ) async {
        request = (url, options, prepare)
        let call = beginCall(.opening)
        await closePage()
        guard call == self.call else { return }
        do {
            let page = try await container.open(url, options: options, prepare: prepare)
            guard call == self.call else { return await container.close(page) }
            guard !Task.isCancelled else {
                phase = .closed
                return await container.close(page)
            }
            self.page = page
            page.load.observe { [weak self] signal in self?.receive(signal, of: call) }
            update()
        } catch {
            guard call == self.call else { return }
            phase = error is CancellationError ? .closed : .failed(error)
        }
    }

    /// Reloads the document of the page. If the page failed or no page is open, opens the last page again.
    public func reload() async {
        guard let page, case .shown = phase else { return await retry() }
        let loading = page.view.loading
        // The URL of the last load is in the form of the engine, which a custom scheme requires.
        loading.reload(loading.lastLoad?.url ?? page.session.documentURL)
    }

    /// Opens the page of the last ``open(_:options:prepare:)`` call again. Does nothing if there was no such call.
    public func retry() async {
        guard let (url, options, prepare) = request else { return }
        await open(url, options: options, prepare: prepare)
    }

    /// Closes the page and returns its view to the pool of the container.
    public func close() async {
        beginCall(.closed)
        await closePage()
    }

    @discardableResult
    private func beginCall(_ phase: PagePhase) -> Int {
        call += 1
        (self.phase, title) = (phase, "")
        titleTask?.cancel()
        return call
    }

    private func closePage() async {
        guard let page else { return }
        self.page = nil
        await container.close(page)
    }

    private func receive(_ signal: ViewSignal, of call: Int) {
        guard call == self.call else { return }
        switch signal {
        case .resource, .frameLoaded, .visibilityChanged: break
        case .started, .committed, .finished, .stopped, .failed, .processEnded: update()
        }
    }

    private func update() {
        guard let page else { return }
        switch page.load.state {
        case .waiting: phase = .opening
        case .committed: phase = .arriving
        case .failed(let error): phase = .failed(error)
        case .finished:
            phase = .shown
            readTitle(of: page.view, call)
        }
    }

    private func readTitle(of view: Engine.View, _ call: Int) {
        titleTask?.cancel()
        titleTask = Task { [weak self] in
            let json = try? await view.scripting.evaluate(
                "return document.title", in: .isolated(name: "containerkit-title"))
            guard let json, let title = try? JSONDecoder().decode(String.self, from: Data(json.utf8)) else { return }
            guard let self, call == self.call, !Task.isCancelled else { return }
            self.title = title
        }
    }
}
