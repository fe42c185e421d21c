// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
internal import PagePrompts
internal import PageRecovery
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

extension Container {
    /// Creates the monitor of blank pages and sends it the records of requests; `nil` if the configuration has none.
    func makePageRecovery() -> BlankPageMonitor? {
        guard let options = configuration.pages.blankPages else { return nil }
        let adapter = PageRecoveryAdapter(self)
        let monitor = BlankPageMonitor(
            options, feature: switches[.blankPages], host: adapter, packages: adapter)
        hub.observePermanently { [weak monitor] in
            if case .request(let record) = $0 { monitor?.receive(record) }
        }
        return monitor
    }

    /// Watches a page that opens.
    func monitor(_ session: PageSession, at place: String, in view: Engine.View, _ load: ViewLoad) {
        do {
            try blankPages?.begin(session, at: place, in: view, load: load)
        } catch {
            // A page opens even if it cannot be examined.
            configuration.logger.warning("a page is not looked at", metadata: ["error": "\(error)"])
        }
    }
}

/// Connects page recovery to the pages and packages of a container, which it does not retain.
///
/// Isolation: the main actor.
@MainActor
private final class PageRecoveryAdapter<Engine: WebEngineDriver>: PageRecoveryHost, PagePackages {
    private weak var container: Container<Engine>?

    init(_ container: Container<Engine>) {
        self.container = container
    }

    private func session(of page: PageID) -> PageSession? {
        container?.sessions.values.first { $0.id == page }
    }

    // MARK: Pages

    func realURL(of place: String) -> String { container?.realURL(of: place) ?? place }

    func isWebDocument(at place: String) -> Bool { RealURL(realURL(of: place)) != nil }

    func isCovered(_ place: String) -> Bool {
        let url = realURL(of: place)
        return place != url || container?.covers(url) == true
    }

    func isBusy(_ page: PageID) -> Bool { container?.loopback?.pages.isBusy(page) ?? false }

    func isAsking(_ page: PageID) -> Bool { container?.pageRequests.isWaiting(page) ?? false }

    func page(_ page: PageID, willTake step: BlankPageStep) {
        container?.configuration.logger.warning(
            "a white page",
            metadata: [
                "page": "\(page)", "step": "\(step.kind.rawValue)", "signal": "\(step.signal.rawValue)",
                "number": "\(step.number)",
            ])
        container?.hub.send(.blankPage(page, step))
    }

    // MARK: Packages

    func reference(of page: PageID) -> PageReference? {
        session(of: page).flatMap { container?.current($0).reference }
    }

    func generations(of page: PageID, covering url: String) -> [GenerationReference] {
        container?.packages.library.generations(of: page, covering: url) ?? []
    }

    func generation(of page: PageID, answering url: String) async -> GenerationReference? {
        await container?.packages.library.generation(of: page, answering: url)
    }

    func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool {
        container?.packages.hasRecorded(generation, of: page) ?? false
    }

    func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool {
        container?.packages.library.repin(page, without: avoided) ?? false
    }

    func generationsChanged(of page: PageID) {
        guard let container, let session = session(of: page) else { return }
        container.keep(container.current(session))
    }

    func markFailed(_ page: PageReference, because reason: String, clock: any Clock<Duration>) async {
        await container?.packages.markFailed(page, because: reason, clock: clock)
    }

    func invalidateStaleFiles(of page: PageID) async {
        guard let container, let session = session(of: page) else { return }
        await container.engineCaches?.invalidateStaleFiles(for: container.current(session))
    }
}
