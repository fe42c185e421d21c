// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The state of a view's current load, derived from the view's signals.
///
/// Members that only the facade uses have the SPI name `Facade`. Isolation: the main actor.
@MainActor
public final class ViewLoad {
    /// The progress of a load.
    public enum State: Sendable {
        /// No part of the document has arrived.
        case waiting
        /// The document has begun to arrive.
        case committed
        /// The page and its initial resources have loaded, or the load was stopped and the document stays as it is.
        case finished
        /// The load failed before it finished.
        case failed(EngineError)
    }

    /// The current progress of the load.
    public private(set) var state = State.waiting
    private var observers: [@MainActor (ViewSignal) -> Void] = []
    private let signals = Broadcast<Void>(capacity: 1)
    /// A Boolean value that indicates whether the current document only redirects to another URL. Its commit and finish
    /// signals are ignored.
    private var isAtInterimDocument = false
    /// The progress of the container's own error page.
    private var errorPage = ErrorPagePhase.none
    private weak var view: (any EngineView)?
    /// A Boolean value that indicates whether the last load was stopped, and another load of the page may replace it
    /// that the engine has not reported yet.
    private var mayBeReplaced = false
    /// The task that finds out that no other load replaces the stopped one.
    private var stopConfirmation: Task<Void, Never>?
    /// The longest time between the reports of a stopped load and of the load that replaces it.
    @_spi(Facade) public nonisolated static let longestReplacement = Duration.seconds(1)
    /// A closure that receives each signal after all observers.
    @_spi(Facade) public var watch: @MainActor (ViewSignal) -> Void = { _ in }
    /// A closure that is called when the container's error page has loaded.
    @_spi(Facade) public var onErrorPage: @MainActor () -> Void = {}
    /// A closure that maps a URL and the engine's load error to the reported error; by default it returns the error.
    @_spi(Facade) public var explain: @MainActor (String, EngineError) -> EngineError = { $1 }
    /// A closure that returns `true` if another component reports a resource of the engine. Observers then do not
    /// receive its signal. By default it returns `false`.
    @_spi(Facade) public var isReportedElsewhere: @MainActor (EngineResource) -> Bool = { _ in false }

    /// Creates a load and sets it as the receiver of the view's signals.
    public init(of view: any EngineView) {
        self.view = view
        view.onSignal = { [weak self] in self?.receive($0) }
    }

    /// Adds an observer of the view's signals. For each signal, ``state`` is updated before the observer is called.
    public func observe(_ observer: @escaping @MainActor (ViewSignal) -> Void) {
        observers.append(observer)
    }

    /// Marks the document being loaded as a redirect. Its commit and finish signals are ignored until the next
    /// navigation.
    @_spi(Facade) public func ignoreDocument() {
        isAtInterimDocument = true
    }

    deinit {
        stopConfirmation?.cancel()
    }

    /// Waits until the page and its initial resources have loaded, or until its load was stopped and no other load
    /// replaces it.
    /// - Throws: ``EngineError``: the error of the load, or code `timedOut` after `limit`.
    public func finished(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
        try await withLimit(limit, clock: clock, "the page does not finish loading") { [self] in
            while true {
                switch state {
                case .finished where mayBeReplaced:
                    confirmStop(by: clock)
                    await nextSignal()
                    try Task.checkCancellation()
                case .finished: return
                case .failed(let error): throw error
                case .waiting, .committed:
                    await nextSignal()
                    try Task.checkCancellation()
                }
            }
        }
    }

    /// Ends the wait of ``finished(within:clock:)`` for a load that may replace the stopped one.
    ///
    /// A navigation of the page first stops the current load, and the engine reports the two in this order. A script
    /// runs in the page after it has begun the navigation, so the report of the start arrives before the result of the
    /// script. The submission of a form waits for one more exchange between the processes of the engine. A page that
    /// runs no scripts, such as a busy one, is not replaced after ``longestReplacement``.
    private func confirmStop(by clock: any Clock<Duration>) {
        guard stopConfirmation == nil else { return }
        stopConfirmation = Task { [weak self, weak view] in
            try? await withLimit(Self.longestReplacement, clock: clock) { [weak view] in
                for _ in 0..<2 where !Task.isCancelled {
                    // If the script fails, there is no page that could navigate.
                    _ = try? await view?.scripting.evaluate("return null", in: .isolated(name: "containerkit-load"))
                }
            }
            guard let self, !Task.isCancelled else { return }
            (mayBeReplaced, stopConfirmation) = (false, nil)
            signals.send(())
        }
    }

    /// Returns at the next signal, or when the task is cancelled.
    private func nextSignal() async {
        for await _ in signals.subscribe() { break }
    }

    private enum ErrorPagePhase {
        case none, awaited, there
    }

    /// Marks the next load as the container's error page, which replaces a failed page. Its signals are ignored and the
    /// state is unchanged until the next navigation.
    @_spi(Facade) public func ignoreErrorPage() {
        errorPage = .awaited
    }

    /// Returns a Boolean value that indicates whether a signal belongs to the error page, and updates ``errorPage``.
    private func isOfErrorPage(_ signal: ViewSignal) -> Bool {
        switch (errorPage, signal) {
        // These signals concern the view, regardless of its document.
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
        case .committed where isAtInterimDocument, .finished where isAtInterimDocument,
            .stopped where isAtInterimDocument:
            return
        case .resource(let resource) where isReportedElsewhere(resource): return
        case .resource, .frameLoaded, .visibilityChanged: break
        default: isAtInterimDocument = false
        }
        switch signal {
        case .started: state = .waiting
        case .committed: state = .committed
        case .finished, .stopped: if case .failed = state {} else { state = .finished }
        case .failed(_, let error): state = .failed(error)
        case .processEnded(let reason): state = .failed(EngineError(.processEnded, reason))
        case .resource, .frameLoaded, .visibilityChanged: break
        }
        recordReplacement(signal)
        signals.send(())
        for observer in observers { observer(signal) }
        watch(signal)
    }

    /// Updates ``mayBeReplaced``. An engine may also report the end of a load that was stopped.
    private func recordReplacement(_ signal: ViewSignal) {
        switch signal {
        case .finished, .resource, .frameLoaded, .visibilityChanged: return
        case .stopped: mayBeReplaced = true
        case .started, .committed, .failed, .processEnded: mayBeReplaced = false
        }
        stopConfirmation?.cancel()
        stopConfirmation = nil
    }
}
