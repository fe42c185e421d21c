// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import PackageUpdates
internal import PagePrompts
internal import PageRecovery
internal import RemoteConfig
@_spi(Facade) internal import ResourceLoading
internal import WebEngine

// MARK: - Assembly

extension ContainerCore {
    /// Creates the blank page recovery, or returns `nil` if the configuration disables it.
    func makeRecovery(
        locator: PageLocator<Engine>, loopback: (any LoopbackIntercepting)?, prompts: PagePromptController,
        packages: PackagesComponent, engineCaches: EngineCacheInvalidator?
    ) -> RecoveryComponent? {
        guard let options = configuration.pages.blankPages else { return nil }
        let adapter = PageRecoveryAdapter(
            pages: pages, locator: locator, loopback: loopback, prompts: prompts, service: packages.service,
            engineCaches: engineCaches, hub: hub, logger: logger)
        let monitor = BlankPageMonitor(options, feature: switches[.blankPages], host: adapter, packages: adapter)
        return RecoveryComponent(monitor, hub: hub, logger: logger)
    }
}

// MARK: - Component

/// The component of blank page recovery.
///
/// Isolation: the main actor.
@MainActor
final class RecoveryComponent: ContainerComponent {
    let monitor: BlankPageMonitor
    private let hub: EventHub
    private let logger: Logger

    init(_ monitor: BlankPageMonitor, hub: EventHub, logger: Logger) {
        self.monitor = monitor
        self.hub = hub
        self.logger = logger
    }

    func start() {
        hub.observePermanently { [weak monitor] in
            if case .request(let record) = $0 { monitor?.receive(record) }
        }
    }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) {
        guard let load = opening.load else { return }
        do {
            try monitor.begin(page, at: opening.place, in: view, load: load)
        } catch {
            // A page that cannot be monitored opens nevertheless.
            logger.warning("a page is not monitored for blankness", metadata: ["error": "\(error)"])
        }
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) { monitor.recordLoad(in: page.view) }

    func pageDidClose(_ page: PageSession) { monitor.end(in: page.view) }

    func hostDidTransition(to state: HostState) {
        switch state {
        case .background: monitor.pause(.background)
        case .suspended: monitor.pause(.suspension)
        case .resumed: monitor.resume(from: .suspension)
        }
    }

    func hostEnteredForeground() { monitor.resume(from: .background) }

    func shutDown() { monitor.shutDown() }
}

// MARK: - Port

/// The adapter between page recovery and the pages and packages of a container.
///
/// Isolation: the main actor.
@MainActor
private struct PageRecoveryAdapter<Engine: WebEngineDriver>: PageRecoveryHost, PagePackages {
    let pages: PageRegistry
    let locator: PageLocator<Engine>
    let loopback: (any LoopbackIntercepting)?
    let prompts: PagePromptController
    let service: PackageService
    let engineCaches: EngineCacheInvalidator?
    let hub: EventHub
    let logger: Logger

    // MARK: Pages

    func realURL(of place: String) -> String { locator.realURL(of: place) }

    func isWebDocument(at place: String) -> Bool { RealURL(realURL(of: place)) != nil }

    func isCovered(_ place: String) -> Bool { locator.isCovered(place) }

    func isBusy(_ page: PageID) -> Bool { loopback?.isBusy(page) ?? false }

    func isAwaitingAnswer(_ page: PageID) -> Bool { prompts.isWaiting(page) }

    func page(_ page: PageID, willTake step: BlankPageStep) {
        logger.warning(
            "a page is blank",
            metadata: [
                "page": "\(page)", "step": "\(step.kind.rawValue)", "signal": "\(step.signal.rawValue)",
                "number": "\(step.number)",
            ])
        hub.send(.blankPage(page, step))
    }

    // MARK: Packages

    func reference(of page: PageID) -> PageReference? {
        pages.session(of: page).map { pages.current($0).reference }
    }

    func generations(of page: PageID, covering url: String) -> [GenerationReference] {
        service.library.generations(of: page, covering: url)
    }

    func generation(of page: PageID, answering url: String) async -> GenerationReference? {
        await service.library.generation(of: page, answering: url)
    }

    func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool {
        service.hasRecorded(generation, of: page)
    }

    func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool {
        service.library.repin(page, without: avoided)
    }

    func generationsChanged(of page: PageID) { pages.updateGenerations(of: page) }

    func markFailed(_ page: PageReference, because reason: String, clock: any Clock<Duration>) async {
        await service.markFailed(page, because: reason, clock: clock)
    }

    func invalidateStaleFiles(of page: PageID) async {
        guard let session = pages.session(of: page) else { return }
        await engineCaches?.invalidateStaleFiles(for: pages.current(session))
    }
}
