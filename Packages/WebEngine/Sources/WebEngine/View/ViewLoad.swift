// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Follows one load of a view: hears its signals and lets others wait for its end.
///
/// Members that only the facade uses have the SPI name `Facade`. Isolation: the main actor.
@MainActor
public final class ViewLoad {
    /// How far a load is.
    public enum State: Sendable {
        /// Nothing of the document is there.
        case waiting
        /// The document has begun to arrive.
        case committed
        /// The page and all that it loads at first are there.
        case finished
        /// It ended before that.
        case failed(EngineError)
    }

    /// How far the load is now.
    public private(set) var state = State.waiting
    private var observers: [@MainActor (ViewSignal) -> Void] = []
    private let signals = Broadcast<Void>(capacity: 1)
    /// Whether the document on its way, or the one just there, only leads to the next.
    private var isAtInterimDocument = false
    /// Where the view is with the container's own page, which stands for one that could not be shown.
    private var errorPage = ErrorPagePhase.none
    /// Hears every signal once all others have.
    @_spi(Facade) public var watch: @MainActor (ViewSignal) -> Void = { _ in }
    /// Hears that this page is there.
    @_spi(Facade) public var onErrorPage: @MainActor () -> Void = {}
    /// Says why a document could not be had, by its place and what the engine says; the engine's word by default.
    @_spi(Facade) public var explain: @MainActor (String, EngineError) -> EngineError = { $1 }
    /// Which of the resources that the engine loads are told by somebody else, and so not again here; none by default.
    @_spi(Facade) public var isReportedElsewhere: @MainActor (EngineResource) -> Bool = { _ in false }

    /// Listens to a view from now on.
    public init(of view: any EngineView) {
        view.onSignal = { [weak self] in self?.receive($0) }
    }

    /// Adds a listener, which hears every signal of the view after this load has.
    public func observe(_ observer: @escaping @MainActor (ViewSignal) -> Void) {
        observers.append(observer)
    }

    /// The document that is on its way does nothing but move the page on: neither its commit nor its end is told to
    /// anyone. The next navigation counts again.
    @_spi(Facade) public func passOverDocument() {
        isAtInterimDocument = true
    }

    /// Returns when the page and all that it loads at first are there.
    /// - Throws: ``EngineError``: why the load failed, or code `timedOut` after `limit`.
    public func finished(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
        try await withLimit(limit, clock: clock, "the page does not finish loading") { [self] in
            while true {
                switch state {
                case .finished: return
                case .failed(let error): throw error
                case .waiting, .committed:
                    await nextSignal()
                    try Task.checkCancellation()
                }
            }
        }
    }

    /// Returns at the next signal, or when the task is cancelled.
    private func nextSignal() async {
        for await _ in signals.subscribe() { break }
    }

    private enum ErrorPagePhase {
        case none, awaited, there
    }

    /// The container shows a page of its own in place of the one that failed: nothing of it is told to anyone, and the
    /// state stays as it is. The next navigation counts again.
    @_spi(Facade) public func passOverErrorPage() {
        errorPage = .awaited
    }

    /// Whether a signal is of that page.
    private func isOfErrorPage(_ signal: ViewSignal) -> Bool {
        switch (errorPage, signal) {
        // Of the view, whatever it shows.
        case (.none, _), (_, .frameLoaded), (_, .visibilityChanged): return false
        case (_, .processEnded), (.there, .started): errorPage = .none
        case (.awaited, .started): errorPage = .there
        case (_, .finished): onErrorPage()
        default: break
        }
        return errorPage != .none
    }

    private func receive(_ signal: ViewSignal) {
        guard !isOfErrorPage(signal) else { return }
        let signal =
            if case .failed(let url, let error) = signal {
                ViewSignal.failed(url: url, error: explain(url, error))
            } else {
                signal
            }
        switch signal {
        case .committed where isAtInterimDocument, .finished where isAtInterimDocument: return
        case .resource(let resource) where isReportedElsewhere(resource): return
        case .resource, .frameLoaded, .visibilityChanged: break
        default: isAtInterimDocument = false
        }
        switch signal {
        case .started: state = .waiting
        case .committed: state = .committed
        case .finished: if case .failed = state {} else { state = .finished }
        case .failed(_, let error): state = .failed(error)
        case .processEnded(let reason): state = .failed(EngineError(.processEnded, reason))
        case .resource, .frameLoaded, .visibilityChanged: break
        }
        signals.send(())
        for observer in observers { observer(signal) }
        watch(signal)
    }
}
